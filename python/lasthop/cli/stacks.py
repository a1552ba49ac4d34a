"""`lasthop stacks`: what the notation of stacks knows, and what of it can be run."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from typing import TYPE_CHECKING, Any

from lasthop.cli import options
from lasthop.cli.output import say, say_json

if TYPE_CHECKING:
    from lasthop.study.stacks.catalogue import Application, Option

NAME = "stacks"
EXAMPLE = "Example: lasthop stacks --json"


def command(*, as_json: options.Json = False) -> None:
    """List the stacks: their layers, their options and defaults, and which are built."""
    from lasthop.study.stacks.catalogue import catalogue

    known = catalogue()
    applications = sorted(known.applications.values(), key=lambda entry: not entry.built)
    if as_json:
        say_json(
            {
                "stacks": [_application(entry) for entry in applications],
                "aliases": {
                    name: "/".join((of, *over)) for name, (of, over) in known.aliases.items()
                },
                "layer_options": {
                    layer.name: [_option(option) for option in layer.options]
                    for layer in known.layers.values()
                    if layer.options
                },
                "links": [
                    {
                        "name": link.name,
                        "summary": link.summary,
                        "options": [_option(option) for option in link.options],
                    }
                    for link in known.links.values()
                ],
                "options_everywhere": [_option(option) for option in known.everywhere],
            }
        )
        return
    for entry in applications:
        ways = ", ".join("/".join((entry.name, *way)) for way in entry.over)
        state = "" if entry.built else "  (not built yet)"
        say(f"{entry.name}: {entry.summary}{state}")
        say(f"    layers  {ways}")
        for option in entry.options:
            say(f"    {_line(option)}")
        say()
    for layer in known.layers.values():
        if layer.options:
            say(f"wherever {layer.name} is a layer")
            for option in layer.options:
                say(f"    {_line(option)}")
            say()
    for link in known.links.values():
        say(f"path: {{extension_link: {link.name}}}: {link.summary}")
        for option in link.options:
            say(f"    {_line(option)}")
        say()
    say("Write a stack as: mqtt/tls/tcp qos=1 tls.resume=ticket")
    say("In a study {a,b} stands for an arm with each: mqtt qos={0,1,2} tcp.nodelay={on,off}")


def _line(option: "Option") -> str:
    kind = "whole seconds" if option.kind == "seconds" else f"a {option.kind}"
    values = "|".join(option.words) or kind
    default = "" if option.default is None else f", default {option.default}"
    if option.follows is not None:
        default = f", default by {option.follows}"
    needs = f", with {_words(option.needs)}" if option.needs else ""
    needs += f", not with {_words(option.unless)}" if option.unless else ""
    return f"{option.name}={values}{default}{needs}: {option.summary}"


def _application(entry: "Application") -> dict[str, Any]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "layers": ["/".join((entry.name, *way)) for way in entry.over],
        "built": ["/".join((entry.name, *way)) for way in entry.built],
        "options": [_option(option) for option in entry.options],
    }


def _option(option: "Option") -> dict[str, Any]:
    return {
        "name": option.name,
        "summary": option.summary,
        "kind": option.kind,
        "values": list(option.words),
        "default": option.default,
        "default_by": option.follows,
        "needs": _words(option.needs) or None,
        "unless": _words(option.unless) or None,
    }


def _words(condition: tuple[str, ...]) -> str:
    name, *values = condition or ("",)
    return " or ".join(f"{name}={value}" for value in values)

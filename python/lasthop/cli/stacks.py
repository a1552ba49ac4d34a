"""`lasthop stacks`: what the notation of stacks knows, and what of it can be run."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for pyarrow)

from typing import TYPE_CHECKING, Any

from lasthop.cli import options
from lasthop.cli.output import say, say_json

if TYPE_CHECKING:
    from lasthop.study.stacks.catalogue import Application, Option

NAME = "stacks"
EXAMPLE = "Example: lasthop stacks --json"


def command(*, as_json: options.Json = False) -> None:
    """List the stacks: their layers, their options and defaults, and which are built."""
    from lasthop.study.stacks.catalogue import ALIASES, APPLICATIONS, EVERYWHERE, LAYER_OPTIONS

    applications = sorted(APPLICATIONS.values(), key=lambda entry: not entry.built)
    if as_json:
        say_json(
            {
                "stacks": [_application(entry) for entry in applications],
                "aliases": {name: "/".join(layers) for name, layers in ALIASES.items()},
                "layer_options": {
                    layer: [_option(option) for option in known]
                    for layer, known in LAYER_OPTIONS.items()
                },
                "options_everywhere": [_option(option) for option in EVERYWHERE],
            }
        )
        return
    for entry in applications:
        ways = ", ".join(f"{entry.name}/{way}" for way in entry.lower)
        state = "" if entry.built else "  (not built yet)"
        say(f"{entry.name}: {entry.summary}{state}")
        say(f"    layers  {ways}")
        for option in entry.options:
            say(f"    {_line(option)}")
        say()
    for layer, known in LAYER_OPTIONS.items():
        say(f"wherever {layer} is a layer")
        for option in known:
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
    needs = f", with {_needs(option)}" if option.needs else ""
    return f"{option.name}={values}{default}{needs}: {option.summary}"


def _application(entry: "Application") -> dict[str, Any]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "layers": [f"{entry.name}/{way}" for way in entry.lower],
        "built": [f"{entry.name}/{way}" for way in entry.built],
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
        "needs": _needs(option) or None,
    }


def _needs(option: "Option") -> str:
    name, *values = option.needs or ("",)
    return " or ".join(f"{name}={value}" for value in values)

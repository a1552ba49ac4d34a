"""The catalogue of stacks: what there is, what is built, and every option."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.generator.markdown import code, sentence, table
from lasthop.study.stacks.catalogue import catalogue as read_catalogue
from lasthop.study.stacks.external import FOREIGN_APPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.stacks.catalogue import Application, Option

_HEADINGS = ("option", "what it sets", "values", "default")


def catalogue() -> str:
    """Write a section for each application and each layer below one."""
    known = read_catalogue()
    applications = sorted(known.applications.values(), key=lambda entry: not entry.built)
    sections = [_application(entry) for entry in applications]
    sections += [
        f"## Wherever {code(layer.name)} is a layer\n\n{_options(layer.options)}"
        for layer in known.layers.values()
        if layer.options
    ]
    sections.append(f"## Every stack\n\n{_options(known.everywhere)}")
    short = [
        [code(name), code("/".join((of, *over)))] for name, (of, over) in known.aliases.items()
    ]
    sections.append("## Short names\n\n" + table(["name", "stands for"], short))
    return "\n\n".join(sections)


def _otherwise(entry: Application) -> str:
    """Say who speaks what is not built here."""
    foreign = {application["name"] for application in FOREIGN_APPLICATIONS}
    return "real software alone" if entry.name in foreign else "not yet"


def _application(entry: Application) -> str:
    ways = [
        [
            code("/".join((entry.name, *way))),
            str(entry.ports["/".join(way)]),
            "yes" if way in entry.built else _otherwise(entry),
        ]
        for way in entry.over
    ]
    headings = ["layers", "port", "built"]
    parts = [f"## {code(entry.name)}", sentence(entry.summary), table(headings, ways)]
    if entry.options:
        parts.append(_options(entry.options))
    return "\n\n".join(parts)


def _options(options: Iterable[Option]) -> str:
    return table(_HEADINGS, ([code(o.name), _meaning(o), _values(o), _default(o)] for o in options))


def _meaning(option: Option) -> str:
    if option.unless:
        name, *values = option.unless
        barred = " or ".join(code(f"{name}={value}") for value in values)
        return f"{option.summary}; not with {barred}"
    name, *values = option.needs or ("",)
    if not values:
        return option.summary
    needed = " or ".join(code(f"{name}={value}") for value in values)
    if name == "layers":
        needed = "the layer " + " or ".join(map(code, values))
    return f"{option.summary}; only with {needed}"


def _values(option: Option) -> str:
    if option.words:
        return ", ".join(map(code, option.words))
    if option.kind == "seconds":
        return f"whole seconds, {_bounds(option)}, or 0"
    return f"a {option.kind}" + (f", {_bounds(option)}" if option.kind in _BOUNDED else "")


_BOUNDED = ("count", "number")


def _bounds(option: Option) -> str:
    return f"{option.minimum:g} to {option.maximum:.10g}"


def _default(option: Option) -> str:
    if option.by is not None:
        by = ", ".join(f"{code(value)} with {code(key)}" for key, value in option.by.items())
        return f"by {code(str(option.follows))}: {by}"
    if option.follows is not None:
        return f"that of {code(option.follows)}"
    return "none" if option.default is None else code(option.default)

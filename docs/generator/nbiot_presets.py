"""The settings of each preset of an NB-IoT network, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docs.generator import markdown
from docs.generator.markdown import code
from lasthop.study.nbiot.leaves import key_of
from lasthop.study.nbiot.presets import PRESETS, preset

if TYPE_CHECKING:
    from collections.abc import Iterator


def table() -> str:
    """Write a row for each field, with the key that changes it and its value in each preset."""
    presets = {name: dict(_fields(preset(name), "")) for name in PRESETS}
    names = dict.fromkeys(name for fields in presets.values() for name in fields)
    rows = [
        [
            code(name),
            code(".".join(("path", "nbiot", *map(str, key_of(name))))),
            *(_value(fields, name) for fields in presets.values()),
        ]
        for name in names
    ]
    return markdown.table(["field of the run spec", "key", *map(code, PRESETS)], rows)


def _fields(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _fields(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for place, inner in enumerate(value):
            yield from _fields(inner, f"{name}[{place}]")
    else:
        yield name, value


def _value(fields: dict[str, Any], name: str) -> str:
    if name not in fields:
        return ""
    value = fields[name]
    match value:
        case None:
            return "off"
        case bool():
            return "on" if value else "off"
        case list():
            return ", ".join(f"{item:g}" for item in value) or "none"
        case float():
            return f"{value:g}"
        case _:
            return str(value)

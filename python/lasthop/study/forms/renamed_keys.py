"""Keys that have a new name: the old name still works in this version, with a note."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasthop.study.text.faults import Location
    from lasthop.study.text.source import Source

RENAMED = {"medium": "extension_link"}
"""The new name of each key of a path or hop."""

_DOTTED = re.compile(rf"\b(paths?(?:\.[\w-]+)*)\.({'|'.join(RENAMED)})\b")
"""A dotted key of a path, as sweeps, expressions and ``--set`` write it."""


def current_key(text: str) -> str:
    """Replace old names in a dotted key or an expression.

    Examples
    --------
    >>> current_key("path.medium")
    'path.extension_link'
    >>> current_key("delivery_ratio >= 99 % where paths.cell.medium == 'toy_radio'")
    "delivery_ratio >= 99 % where paths.cell.extension_link == 'toy_radio'"
    """
    return _DOTTED.sub(lambda found: f"{found[1]}.{RENAMED[found[2]]}", text)


def note_on(key: str) -> str:
    """Describe the new name of a dotted key."""
    new = current_key(key).rpartition(".")[2]
    return f'{key}: this key is now called "{new}"; the next version no longer reads the old name'


def with_current_keys(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Give a study with the new names of its keys, and a note on each old one."""
    reader = _Reader()
    value = reader.renamed(source.value, ())
    if not reader.moved:
        return source, ()
    places = {reader.current(location): place for location, place in source.places.items()}
    return replace(source, value=value, places=places), tuple(dict.fromkeys(reader.notes))


class _Reader:
    """Replaces old names in a study and keeps where they stood."""

    def __init__(self) -> None:
        self.moved: dict[Location, str] = {}
        self.notes: list[str] = []

    def current(self, location: Location) -> Location:
        """Give a location with the new names of its keys."""
        steps = (self.moved.get(location[: index + 1], step) for index, step in enumerate(location))
        return tuple(steps)

    def renamed(self, value: Any, location: Location) -> Any:  # noqa: ANN401  (any value)
        """Give a value of a study with the new names of its keys."""
        if isinstance(value, list):
            return [self.renamed(item, (*location, index)) for index, item in enumerate(value)]
        if isinstance(value, dict):
            return {
                self._key(key, value, (*location, key)): self.renamed(item, (*location, key))
                for key, item in value.items()
            }
        if isinstance(value, str) and location[:1] in (("decide",), ("expect",)):
            return self._expression(value, location)
        return value

    def _key(self, key: str, beside: dict[str, Any], location: Location) -> str:
        if _is_hop(location[:-1]):
            new, dotted = RENAMED.get(key, key), ".".join(map(str, location))
        else:
            new, dotted = current_key(key), key
        if new == key or new in beside:
            return key
        self.moved[location] = new
        self.notes.append(note_on(dotted))
        return new

    def _expression(self, text: str, location: Location) -> str:
        new = current_key(text)
        if new != text:
            self.moved[location] = str(location[-1])
            self.notes += [note_on(found[0]) for found in _DOTTED.finditer(text)]
        return new


def _is_hop(location: Location) -> bool:
    names = {"path": 1, "paths": 2}.get(str(location[0]), 0) if location else 0
    is_in_list = len(location) == names + 1 and isinstance(location[-1], int)
    return names > 0 and (len(location) == names or is_in_list)

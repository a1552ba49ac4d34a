"""Renamed keys of a study. This version still accepts the old names, with a note."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasthop.study.text.faults import Location
    from lasthop.study.text.source import Source

RENAMED = {"medium": "extension_link"}
"""New names of renamed keys of a path or hop."""

_DOTTED = re.compile(rf"\b(paths?(?:\.[\w-]+)*)\.({'|'.join(RENAMED)})\b")
"""Pattern of a dotted key of a path, as in sweeps, expressions and ``--set``."""


def current_key(text: str) -> str:
    """Return a dotted key or an expression with old names replaced.

    Examples
    --------
    >>> current_key("path.medium")
    'path.extension_link'
    >>> current_key("delivery_ratio >= 99 % where paths.cell.medium == 'toy_radio'")
    "delivery_ratio >= 99 % where paths.cell.extension_link == 'toy_radio'"
    """
    return _DOTTED.sub(lambda found: f"{found[1]}.{RENAMED[found[2]]}", text)


def note_on(key: str) -> str:
    """Return the note on the new name of a dotted key."""
    new = current_key(key).rpartition(".")[2]
    return f'{key}: this key is now called "{new}"; the next version no longer reads the old name'


def with_current_keys(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return a study with current key names, and a note on each old one."""
    reader = _Reader()
    value = reader.renamed(source.value, ())
    if not reader.moved:
        return source, ()
    places = {reader.current(location): place for location, place in source.places.items()}
    return replace(source, value=value, places=places), tuple(dict.fromkeys(reader.notes))


class _Reader:
    """Replaces old key names in a study and remembers their positions."""

    def __init__(self) -> None:
        self.moved: dict[Location, str] = {}
        self.notes: list[str] = []

    def current(self, location: Location) -> Location:
        """Return a location with current key names."""
        steps = (self.moved.get(location[: index + 1], step) for index, step in enumerate(location))
        return tuple(steps)

    def renamed(self, value: Any, location: Location) -> Any:  # noqa: ANN401  (any value)
        """Return a value of a study with current key names."""
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

"""A study document with overrides from ``--set`` or a sweep, and positions for errors."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from lasthop.errors import StudyError
from lasthop.study.text.faults import Fault, Location, show
from lasthop.study.text.source import Place, Source
from lasthop.study.text.steps import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

OPTION = "--"
"""Prefix of sources that are command-line options."""

SET = f"{OPTION}set "

_TIME = re.compile(r"\d+(?:\.\d+)? ?(?:ns|us|ms|s|min|h|d)")

# What to write where a plain value stands and a key below it is wanted.
_MAPPINGS = {
    "delay": "{around: 100 ms, spread: 20 %}",
    "loss": "{gilbert_elliott: {to_bad: 2 %, to_good: 18 %}}",
    "round_trip": "{json: {heart_rate: 72}, size: 409 B}",
    "report": "{json: {heart_rate: 72}, size: 409 B}",
    "command": "{json: {valve: 1}, size: 40 B}",
    "pull": "{json: {heart_rate: 72}, size: 96 B}",
    "devices": "{arrive: 2 /s}",
    "psm": "{t3324: 10 s, t3412: 5 d}",
    "edrx": "{cycle: 81920 ms, paging_time_window: 2560 ms}",
}

# Of each of these mappings, what a plain amount in its place stands for.
_LONE_AMOUNTS = {"edrx": "81920 ms"}

_PLAIN = "<value>"
_APOSTROPHE, _QUOTE = "'", '"'


@dataclass(frozen=True, slots=True)
class Replacement:
    """A value that overrides a key of the study: from a sweep, `--set` or another file.

    Parameters
    ----------
    key
        The dotted key that is overridden.
    root
        Location of the value in its source.
    location
        Location of the key in the study, once known.
    """

    key: str
    source: Source
    root: Location = ()
    location: Location = ()

    @property
    def value(self) -> object:
        """Return the overriding value."""
        value = self.source.value
        for part in self.root:
            value = value[part]
        return value

    def holds(self, error: StudyError) -> bool:
        """Return whether an error lies within the value."""
        if self.source.name.startswith(SET):
            return error.file == self.source.name
        return error.file == self.source.name and any(
            location[: len(self.root)] == self.root
            and (error.line, error.column)
            in {(place.line, place.column), (place.key_line, place.key_column)}
            for location, place in self.source.places.items()
        )

    def error(self, fault: Fault) -> StudyError:
        """Return an error with the position of the value."""
        return _error_at(self.source, self.root, self.key, fault)


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a study with their positions.

    Parameters
    ----------
    notes
        Notes on renamed keys.
    """

    source: Source
    value: dict[str, Any]
    replacements: tuple[Replacement, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def overrides(self) -> tuple[Replacement, ...]:
        """Return the overrides from the command line."""
        return tuple(one for one in self.replacements if one.source.name.startswith(SET))

    def replaced(self, replacement: Replacement) -> Document:
        """Return the document with one dotted key replaced.

        Raises
        ------
        StudyError
            If the key lies below a plain value.
        """
        try:
            location = replacement.location or locate(self.value, replacement.key)
            root = _put(self.value, location, replacement.value, 0, replacement.key)
        except Fault as fault:
            raise _error_at(replacement.source, replacement.root, replacement.key, fault) from None
        put = replace(replacement, location=location)
        return replace(self, value=root, replacements=(*self.replacements, put))

    def error(self, fault: Fault) -> StudyError:
        """Return an error with its position in the file."""
        location = _written(self.value, fault.location)
        source, inner = self._origin(location)
        key = ".".join(part for part in location if isinstance(part, str))
        return _error_at(source, inner, key, fault)

    def invalid(self, error: ValidationError) -> StudyError:
        """Return the first error of a pydantic validation, by position."""
        errors = [self.error(_fault(details)) for details in error.errors(include_url=False)]
        return min(errors, key=lambda error: (error.line or 0, error.column or 0))

    def _origin(self, location: Location) -> tuple[Source, Location]:
        for replacement in reversed(self.replacements):
            put = replacement.location
            if location[: len(put)] == put:
                return replacement.source, (*replacement.root, *location[len(put) :])
        if location not in self.source.places:
            for replacement in reversed(self.replacements):
                if replacement.location[: len(location)] == location:
                    return replacement.source, replacement.root
        return self.source, location


def _put(value: Any, location: Location, new: object, depth: int, key: str) -> Any:  # noqa: ANN401
    """Return a copy of a nested value with a new value at a location."""
    if depth == len(location):
        return new
    step = location[depth]
    if isinstance(value, list) and isinstance(step, int):
        changed = list(value)
        changed[step] = _put(value[step], location, new, depth + 1, key)
        return changed
    if not isinstance(value, dict):
        raise _below_a_plain_value(value, location[:depth], str(step), key)
    below = value.get(cast("str", step), {})
    return {**value, step: _put(below, location, new, depth + 1, key)}


def _below_a_plain_value(value: object, at: Location, step: str, key: str) -> Fault:
    parent = ".".join(map(str, at))
    mapping = _MAPPINGS.get(str(at[-1]), f"{{{step}: ...}}")
    return Fault(
        f"{parent} is {show(value)} in the study, so it has no key {key}",
        hint=f'write "{parent}: {mapping}" in the study',
    )


def _error_at(source: Source, location: Location, key: str, fault: Fault) -> StudyError:
    if source.name.startswith(OPTION):
        is_wider = source.name.startswith(SET) and key != source.name.removeprefix(SET)
        shown = key if is_wider else None
        return StudyError(fault.what, hint=fault.hint, file=source.name, key=shown)
    while location and location not in source.places:
        location = location[:-1]
    place = source.places.get(location, Place(1, 1, 1, 1))
    return StudyError(
        fault.what,
        hint=fault.hint,
        file=source.name,
        line=place.key_line if fault.at_key else place.line,
        column=place.key_column if fault.at_key else place.column,
        key=key or None,
    )


def _written(value: object, location: Location) -> Location:
    """Return the part of a location that exists in the document."""
    written: list[str | int] = []
    for part in location:
        if isinstance(value, dict):
            known = part in value
        else:
            known = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if known:
            value = cast("Any", value)[part]
            written.append(part)
    return tuple(written)


def _fault(details: ErrorDetails) -> Fault:
    location: Location = details["loc"]
    context = details.get("ctx", {})
    inner = context.get("error")
    if isinstance(inner, Fault):
        return inner.within(location)
    wording = _WORDINGS.get(details["type"], _unexpected)
    what, hint = wording(show(details["input"]), context)
    if details["type"] == "literal_error" and location[-1] == _PLAIN:
        hint = _mapping_for(str(location[-2]), details["input"]) + hint.removeprefix("write ")
    return Fault(what, hint=hint, location=location)


def _mapping_for(key: str, value: object) -> str:
    """Return a hint on the mapping that was probably meant by a plain value."""
    mapping = _MAPPINGS.get(key)
    if mapping is None:
        return "write "
    usual = _LONE_AMOUNTS.get(key)
    if usual is not None and isinstance(value, str) and _is_time(value):
        mapping = mapping.replace(usual, value)
    return f'write "{key}: {mapping}", or '


def _is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


def _unexpected(value: str, _: Mapping[str, Any]) -> tuple[str, str]:
    return f"{value} is not allowed here", "see docs/reference/study.md for the values of this key"


def _not_whole(value: str, _: Mapping[str, Any]) -> tuple[str, str]:
    return f"{value} is not a whole number", "write a whole number without a unit, for example 5"


def _too_long(_: str, context: Mapping[str, Any]) -> tuple[str, str]:
    return "the value is too long", f"write at most {context['max_length']} items or characters"


def _not_a_word(value: str, context: Mapping[str, Any]) -> tuple[str, str]:
    what = f"unknown value {value}" if value.startswith('"') else f"{value} is not allowed here"
    return what, f"write {context['expected'].replace(_APOSTROPHE, _QUOTE)}"


_NOT_SCALAR = ("a mapping", "a list", "nothing")

_WORDINGS: Mapping[str, Callable[[str, Mapping[str, Any]], tuple[str, str]]] = {
    "int_type": _not_whole,
    "int_from_float": _not_whole,
    "int_parsing": _not_whole,
    "string_type": lambda value, _: (
        f"{value} is not text",
        "write one value here" if value in _NOT_SCALAR else "put it in quotes",
    ),
    "list_type": lambda value, _: (
        f"{value} is not a list",
        "write it in brackets, for example [a, b]",
    ),
    "dict_type": lambda value, _: (
        f"{value} is not a mapping",
        "write {name: loss, path.loss: [5 %, 10 %]}",
    ),
    "literal_error": _not_a_word,
    "greater_than_equal": lambda value, limits: (
        f"{value} is too small",
        f"write {limits['ge']} or more",
    ),
    "less_than_equal": lambda value, limits: (
        f"{value} is too large",
        f"write {limits['le']} or less",
    ),
    "too_short": lambda value, _: (
        f"the {'mapping' if value == 'a mapping' else 'list'} is empty",
        "write at least one entry",
    ),
    "string_too_short": lambda _value, _limits: ("the text is empty", "write a name"),
    "too_long": _too_long,
    "string_too_long": _too_long,
}
"""Texts for each kind of pydantic error."""

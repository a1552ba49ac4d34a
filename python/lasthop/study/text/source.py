"""Parses a study file into plain values with positions, from a strict subset of YAML 1.2."""

from __future__ import annotations

import errno
import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.regular_file import NotRegularError, TooLargeError, read_regular
from lasthop.study.text.faults import Location, nearest, show

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAXIMUM_FILE_BYTES = 1024 * 1024
MAXIMUM_DEPTH = 16
MAXIMUM_VALUES = 20_000

_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]{1,19}")
_DECIMAL_NUMBER = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")
_OTHER_NUMBER = re.compile(
    r"[-+]?(([0-9][0-9_]*\.?[0-9_]*|\.[0-9_]+)(e[-+]?[0-9]+)?|0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+"
    r"|\.?inf|infinity|\.?nan)",
    re.IGNORECASE,
)


class OtherNumber(str):
    """A plain scalar that other parsers read as a number, for example ``1e5``; here it is text."""

    __slots__ = ()


class DecimalText(str):
    """A plain decimal number, for example ``36.6``, as text until a key needs a number."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Line and column of a key and its value, counted from 1."""

    key_line: int
    key_column: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """Plain values (dict, list, str, int, bool, None) with their positions in the file."""

    name: str
    value: Any
    places: dict[Location, Place]


_noted: ContextVar[list[Path] | None] = ContextVar("noted", default=None)


@contextmanager
def noting_files() -> Iterator[list[Path]]:
    """Record the paths of all files that are read meanwhile."""
    files: list[Path] = []
    token = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(token)


def read_file(path: Path, *, maximum_bytes: int = MAXIMUM_FILE_BYTES) -> str:
    """Read a text file of limited size.

    Raises
    ------
    UsageError
        If there is no such file.
    StudyError
        If it is too large or not UTF-8.
    """
    _note(path)
    try:
        data = read_regular(path, maximum_bytes=maximum_bytes)
    except NotRegularError as error:
        of = (
            "the name of the study file in it"
            if error.errno == errno.EISDIR
            else "the name of a study file"
        )
        raise UsageError(f"{path}: {error.strerror}; write {of}") from None
    except TooLargeError as error:
        hint = "choose a smaller file, or split it"
        raise StudyError(str(error.strerror), hint=hint, file=str(path)) from None
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path}: there is no such file; {_meant(path)}") from None
    except ValueError:
        raise UsageError(f'"{path!s}" is not a file name; write the name of a study file') from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise UsageError(f"{path}: {error.strerror}; write the name of a study file") from None
        raise EnvironmentFailure(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        raise StudyError(
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            hint="save the file as UTF-8",
            file=str(path),
            line=before.count(b"\n") + 1,
            column=error.start - (before.rfind(b"\n") + 1) + 1,
        ) from None


def _meant(path: Path) -> str:
    """Return a hint on a study file with a similar name."""
    try:
        beside = [it.name for it in path.parent.iterdir() if it.suffix in {".yaml", ".yml"}]
    except OSError:
        beside = []
    near = nearest(path.name, beside)
    return f'did you mean "{path.with_name(near)}"?' if near else "write the name of a study file"


def _note(path: Path) -> None:
    noted = _noted.get()
    if noted is not None:
        noted.append(path)


def parse(text: str, *, name: str) -> Source:
    """Parse YAML text without anchors, aliases, tags and duplicate keys.

    Plain scalars are whole numbers, ``true``/``false``, nothing, or text.

    Parameters
    ----------
    text
        The YAML document.
    name
        Name of the document in errors.
    """
    _refuse_control_characters(text, name)
    reader = _Reader(name, YAML(typ="safe", pure=True).parse(text))
    try:
        value = reader.document()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise StudyError(
            f"not valid YAML: {error.problem or error.context}",
            hint=_yaml_hint(str(error.problem)),
            file=name,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
        ) from None
    except (YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, StudyError):
            raise
        raise StudyError(f"not valid YAML: {error}", hint="check the syntax", file=name) from None
    return Source(name, value, reader.places)


def _yaml_hint(problem: str) -> str:
    if "\\t" in problem or "tab" in problem:
        return "indent with spaces"
    if "mapping values are not allowed" in problem:
        return 'put text that contains ": " in quotes, and check the indentation'
    if "cannot start any token" in problem:
        return "put the text in quotes"
    return "check indentation, brackets and quotes"


def _refuse_control_characters(text: str, name: str) -> None:
    for found in re.finditer(
        r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text
    ):
        before = text[: found.start()]
        raise StudyError(
            f"the character U+{ord(found.group()):04X} is not allowed",
            hint="remove it",
            file=name,
            line=before.count("\n") + 1,
            column=found.start() - (before.rfind("\n") + 1) + 1,
        )


class _Reader:
    """Builds values from YAML parser events, without expansion or constructors."""

    def __init__(self, name: str, events: Iterator[Event]) -> None:
        self._name = name
        self._events = events
        self._values = 0
        self.places: dict[Location, Place] = {}

    def document(self) -> object:
        """Return the only document of the stream; None for an empty stream."""
        next(self._events)  # the start of the stream
        event = next(self._events)
        if isinstance(event, StreamEndEvent):
            return None
        value = self._node(next(self._events), (), None)
        next(self._events)  # the end of the document
        further = next(self._events)
        if not isinstance(further, StreamEndEvent):
            raise self._error(
                further, "the file contains a second YAML document", 'remove the line "---"'
            )
        return value

    def _node(self, event: Event, location: Location, key: Event | None) -> object:
        self._refuse_decoration(event)
        self._values += 1
        if self._values > MAXIMUM_VALUES:
            raise self._error(
                event,
                f"the file has more than {MAXIMUM_VALUES} values",
                "split it into several studies",
            )
        if len(location) > MAXIMUM_DEPTH:
            raise self._error(
                event,
                f"lists and mappings are nested deeper than {MAXIMUM_DEPTH} levels",
                "use fewer levels",
            )
        at_key = (key or event).start_mark
        at = event.start_mark
        self.places[location] = Place(
            at_key.line + 1, at_key.column + 1, at.line + 1, at.column + 1
        )
        if isinstance(event, MappingStartEvent):
            return self._mapping(location)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(location)
        return _scalar(cast("ScalarEvent", event))

    def _mapping(self, location: Location) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            self._refuse_decoration(event)
            if not isinstance(event, ScalarEvent):
                raise self._error(
                    event, "a key is a list or a mapping", "write a plain word as the key"
                )
            key = str(event.value)
            if key in mapping:
                first = self.places[(*location, key)]
                raise self._error(
                    event,
                    f"the key {show(key)} is written twice (first in line {first.key_line})",
                    "remove one of them",
                )
            mapping[key] = self._node(next(self._events), (*location, key), event)
        return mapping

    def _sequence(self, location: Location) -> list[Any]:
        sequence: list[Any] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            sequence.append(self._node(event, (*location, len(sequence)), None))
        return sequence

    def _refuse_decoration(self, event: Event) -> None:
        if isinstance(event, AliasEvent):
            raise self._error(
                event, f"the YAML alias *{event.anchor} is not allowed", "write its value"
            )
        if getattr(event, "anchor", None) is not None:
            anchor = event.anchor  # type: ignore[attr-defined]  # node events have it
            raise self._error(event, f"the YAML anchor &{anchor} is not allowed", "remove it")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._error(event, f"the YAML tag {show(str(tag))} is not allowed", "remove it")

    def _error(self, event: Event, what: str, hint: str) -> StudyError:
        mark = event.start_mark
        return StudyError(
            what, hint=hint, file=self._name, line=mark.line + 1, column=mark.column + 1
        )


def _scalar(event: ScalarEvent) -> str | int | bool | None:
    text = str(event.value)
    if event.style is not None:
        return text
    if text in {"", "~", "null", "Null", "NULL"}:
        return None
    if text in {"true", "True", "TRUE"}:
        return True
    if text in {"false", "False", "FALSE"}:
        return False
    return _number(text)


def _number(text: str) -> str | int:
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if _DECIMAL_NUMBER.fullmatch(text):
        return DecimalText(text)
    return OtherNumber(text) if _OTHER_NUMBER.fullmatch(text) else text

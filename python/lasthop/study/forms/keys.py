"""Dotted keys of a study, such as ``path.loss``, with their kinds and results columns."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from lasthop.study.fields.form import Form, Number, OnOff, Quantity, QueueLimit, QueueSize
from lasthop.study.fields.quantity import KINDS, Kind
from lasthop.study.forms.long_form import LongForm
from lasthop.study.forms.short_form import ShortForm
from lasthop.study.paths.media import MEDIA

if TYPE_CHECKING:
    from collections.abc import Iterator

SWEEPABLE = (
    "duration",
    "devices",
    "measure",
    "traffic",
    "path",
    "energy",
    "device",
    "tariff",
    "events",
    "fleet",
    "paths",
    "servers",
)
"""Top-level keys that a sweep may change, including all keys below them."""

_COMPARED = (
    "fleet",
    "fleet.*",
    "fleet.*.stack",
    "fleet.*.stacks",
    "fleet.*.stacks.*",
    "servers.*.forwards.stack",
)
"""Keys of compared stacks, which a sweep may not change."""

ValueKind = Kind | Literal["queue", "count", "number", "text"] | None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A dotted key of a study. ``kind`` is None for a mapping or a list."""

    key: str
    kind: ValueKind


class Keys(Mapping[str, KnownKey]):
    """Dotted keys. A star stands for a name chosen in the study: ``fleet.*.count``.

    Examples
    --------
    >>> known_keys()["fleet.meters.count"].key
    'fleet.*.count'
    """

    def __init__(self, known: Mapping[str, KnownKey]) -> None:
        self._known = dict(known)
        self._named: dict[int, list[tuple[str, ...]]] = {}
        for key in known:
            parts = tuple(key.split("."))
            if "*" in parts:
                self._named.setdefault(len(parts), []).append(parts)

    def __getitem__(self, key: str) -> KnownKey:
        """Return the key of a name, or the key whose pattern matches it."""
        if key in self._known:
            return self._known[key]
        parts = [part for part in key.split(".") if not part.isdecimal()]
        for pattern in self._named.get(len(parts), ()):
            if all(known in ("*", part) for known, part in zip(pattern, parts, strict=True)):
                return self._known[".".join(pattern)]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        """Yield the keys and patterns."""
        return iter(self._known)

    def __len__(self) -> int:
        """Return the number of keys and patterns."""
        return len(self._known)

    def like(self, key: str) -> list[str]:
        """Return the keys with similar names, for suggestions."""
        names = key.split(".")
        filled = []
        for known in self._known:
            if known.endswith("*"):
                continue
            parts = known.split(".")
            own = [
                names[at] if part == "*" and at < len(names) else part
                for at, part in enumerate(parts)
            ]
            filled.append(".".join(own))
        return [key for key in filled if "*" not in key]


@cache
def known_keys() -> Keys:
    """Return every dotted key of both forms of a study."""
    found: dict[str, KnownKey] = {}
    _collect(ShortForm, "", found)
    _collect(LongForm, "", found)
    return Keys(found)


@cache
def sweepable_keys() -> Keys:
    """Return the dotted keys that a sweep may change."""
    return Keys(
        {
            key: known
            for key, known in known_keys().items()
            if key.split(".")[0] in SWEEPABLE and key not in _COMPARED
        }
    )


def _collect(form: type[Form], prefix: str, found: dict[str, KnownKey]) -> None:
    hints = get_type_hints(form, include_extras=True)
    for name, field in form.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        _collect_type(hints[name], key, found)


def _collect_type(annotation: object, key: str, found: dict[str, KnownKey]) -> None:
    named = _of_own_names(annotation)
    if named is not None:
        found.setdefault(key, KnownKey(key, None))
        _collect_type(named, f"{key}.*", found)
        return
    kind, below = _inspect(annotation)
    found.setdefault(key, KnownKey(key, kind))
    for nested in below:
        _collect(nested, f"{key}.", found)


def _of_own_names(annotation: object) -> object | None:
    """Return the value type of a mapping whose keys are names chosen in the study, else None."""
    if get_origin(annotation) is dict:
        _, values = get_args(annotation)
        return None if values is Any else values
    return None


def _inspect(annotation: object) -> tuple[ValueKind, list[type[Form]]]:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        kinds = [_kind_of(mark) for mark in marks]
        kind = next((kind for kind in kinds if kind is not None), None)
        return (kind, []) if kind is not None else _inspect(inner)
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [_inspect(part) for part in get_args(annotation) if part is not type(None)]
        kinds = [kind for kind, _ in parts if kind is not None]
        kind = next((kind for kind in kinds if kind != "text"), next(iter(kinds), None))
        return kind, [form for _, forms in parts for form in forms]
    if get_origin(annotation) is list and _is_form(get_args(annotation)[0]):
        return None, []  # the hops of a list have the keys of a hop that stands alone
    if _is_form(annotation):
        return None, [cast("type[Form]", annotation)]
    if annotation is str or get_origin(annotation) is Literal:
        return "text", []
    return ("count" if annotation is int else None), []


def _kind_of(mark: object) -> ValueKind:
    if isinstance(mark, Quantity):
        return mark.kind
    if isinstance(mark, QueueSize):
        return "queue"
    if isinstance(mark, OnOff):
        return "text"
    return "number" if isinstance(mark, Number) else None


def _is_form(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Form)


def value_at(model: Form, key: str) -> object:
    """Return the value of a dotted key at a point; None for a missing key."""
    value: object = model
    for part in key.split("."):
        if isinstance(value, list):
            value = _hop(value, part)
            if part.isdecimal():
                continue
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, Form) and part in _attributes(type(value)):
            value = getattr(value, _attributes(type(value))[part])
        else:
            return None
    return value


def _hop(hops: list[Any], part: str) -> object:
    if part.isdecimal():
        return hops[int(part)] if int(part) < len(hops) else None
    return next((hop for hop in hops if part in hop.model_fields_set), None)


@cache
def _attributes(form: type[Form]) -> dict[str, str]:
    return {field.alias or name: name for name, field in form.model_fields.items()}


def scalar(value: object, kind: ValueKind) -> tuple[str, float | int | str] | None:
    """Return unit and value for a results column; None if the value is not a scalar."""
    if isinstance(value, QueueLimit):
        return value.unit, value.amount
    if isinstance(value, bool):
        return "text", "on" if value else "off"
    if isinstance(value, str):
        return "text", value
    if not isinstance(value, int | float):
        return None
    if isinstance(kind, Kind):
        factor = kind.column_factor
        return kind.column_unit, value if factor == 1 else value / factor
    return "count" if kind == "count" else "number", value


_SUFFIXES = {kind.column_unit: kind.column_suffix for kind in KINDS}


def key_words(key: str) -> str:
    """Format a swept key for readers, without redundant parts.

    Examples
    --------
    >>> key_words("path.delay.around"), key_words("path.nbiot.coupling_loss")
    ('path delay around', 'coupling loss')
    >>> key_words("paths.cell.1.nat.udp"), key_words("traffic.readings.session")
    ('cell nat udp', 'readings session length')
    """
    for medium in MEDIA:
        key = key.removeprefix(f"path.{medium.key}.")
    room, *below = key.split(".")
    is_outer = (room in {"paths", "fleet"} and below) or (room == "traffic" and len(below) > 1)
    steps = below if is_outer else [room, *below]
    words = [step for step in steps if not step.isdecimal()]
    if words[-1] == "session":
        words.append("length")
    return " ".join(words).replace("_", " ")


def column_name(key: str, unit: str) -> str:
    """Return the name of the results column of a swept key.

    Examples
    --------
    >>> column_name("path.loss", "fraction"), column_name("path.delay.around", "ms")
    ('path_loss', 'path_delay_around_ms')
    """
    return key.replace(".", "_") + _SUFFIXES.get(unit, "")

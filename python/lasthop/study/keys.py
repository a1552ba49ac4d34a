"""The dotted keys of a study (``path.loss``), what each holds, and its results column."""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

from lasthop.study.form import Form, Number, OnOff, Quantity, QueueLimit, QueueSize
from lasthop.study.model import StudyForm
from lasthop.study.quantity import KINDS, Kind

SWEEPABLE = ("duration", "devices", "measure", "traffic", "path", "energy")
"""The keys of a study that a sweep may change, with all below them."""

ValueKind = Kind | Literal["queue", "count", "number", "text"] | None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A dotted key; ``kind`` is None when it holds only a mapping or a list."""

    key: str
    kind: ValueKind


@cache
def known_keys() -> dict[str, KnownKey]:
    """Give every dotted key of a study."""
    found: dict[str, KnownKey] = {}
    _collect(StudyForm, "", found)
    return found


@cache
def sweepable_keys() -> dict[str, KnownKey]:
    """Give the dotted keys that a sweep may change."""
    return {key: known for key, known in known_keys().items() if key.split(".")[0] in SWEEPABLE}


def _collect(form: type[Form], prefix: str, found: dict[str, KnownKey]) -> None:
    hints = get_type_hints(form, include_extras=True)
    for name, field in form.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        kind, below = _inspect(hints[name])
        found[key] = KnownKey(key, kind)
        for nested in below:
            _collect(nested, f"{key}.", found)


def _inspect(annotation: object) -> tuple[ValueKind, list[type[Form]]]:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        kinds = [_kind_of(mark) for mark in marks]
        kind = next((kind for kind in kinds if kind is not None), None)
        return (kind, []) if kind is not None else _inspect(inner)
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [_inspect(part) for part in get_args(annotation) if part is not type(None)]
        kind = next((kind for kind, _ in parts if kind is not None), None)
        return kind, [form for _, forms in parts for form in forms]
    if isinstance(annotation, type) and issubclass(annotation, Form):
        return None, [annotation]
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


def value_at(model: Form, key: str) -> object:
    """Give what a dotted key holds at a point, None where there is no such key."""
    value: object = model
    for part in key.split("."):
        if not isinstance(value, Form):
            return None
        name = _attributes(type(value)).get(part)
        if name is None:
            return None
        value = getattr(value, name)
    return value


@cache
def _attributes(form: type[Form]) -> dict[str, str]:
    return {field.alias or name: name for name, field in form.model_fields.items()}


def scalar(value: object, kind: ValueKind) -> tuple[str, float | int | str] | None:
    """Give the unit and the value of a results column, None if the value is not a scalar."""
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


def column_name(key: str, unit: str) -> str:
    """Name the results column of a swept key.

    Examples
    --------
    >>> column_name("path.loss", "fraction"), column_name("path.delay.around", "ms")
    ('path_loss', 'path_delay_around_ms')
    """
    return key.replace(".", "_") + _SUFFIXES.get(unit, "")

"""The results columns of swept keys, and their values at a point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lasthop.study.forms.keys import column_name, scalar, sweepable_keys, value_at
from lasthop.study.plan.study import NamedValue, ParameterValue, SweptParameter
from lasthop.study.text.steps import value_at as value_in_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.study.forms.model import StudyForm
    from lasthop.study.plan.grid import Axis, GridPart

TEXT = "text"


@dataclass(frozen=True, slots=True)
class SweptValue:
    """The value of a swept key at a point.

    Parameters
    ----------
    read
        Unit and number; None if the value is not a number.
    written
        The value as written in the study.
    name
        Name of the value in the part; None without a name.
    """

    read: tuple[str, ParameterValue] | None
    written: str | None
    name: str | None


def swept_values(
    form: StudyForm,
    written: dict[str, Any],
    keys: Iterable[str],
    names: Mapping[str, str | None],
) -> dict[str, SweptValue]:
    """Return the value and the name of each swept key at a point."""
    return {
        key: SweptValue(
            scalar(value_at(form, key), sweepable_keys()[key].kind),
            _text(written, key),
            names.get(key),
        )
        for key in keys
    }


def swept_parameters(
    points: Iterable[tuple[GridPart, Mapping[str, SweptValue]]],
) -> dict[str, SweptParameter]:
    """Return the results column of every swept key of the study.

    A key whose swept values are all numbers of one unit has a column of numbers; any other key
    has a column of text, so that every value of the sweep can be told apart: its name, or what
    is written.
    """
    units: dict[str, set[str]] = {}
    for part, values in points:
        for axis in part.axes:
            read = values[axis.key].read
            units.setdefault(axis.key, set()).add(read[0] if read else TEXT)
    swept: dict[str, SweptParameter] = {}
    for key, found in units.items():
        unit = next(iter(found)) if len(found) == 1 else TEXT
        swept[key] = SweptParameter(key, column_name(key, unit), unit)
    return swept


def point_parameters(
    values: Mapping[str, SweptValue], swept: Iterable[SweptParameter]
) -> dict[str, ParameterValue]:
    """Return the value of every swept column at a point; None if the part does not have it."""
    return {parameter.column: _value(values[parameter.key], parameter.unit) for parameter in swept}


def named(
    parameter: SweptParameter, axis: Axis, points: Iterable[Mapping[str, SweptValue]]
) -> SweptParameter:
    """Return a swept parameter with the names of its values in a part."""
    if not any(axis.names):
        return parameter
    found: dict[str, NamedValue] = {}
    for values in points:
        value = values[axis.key]
        if value.name is not None and value.written is not None:
            cell = _value(value, parameter.unit)
            found.setdefault(value.name, NamedValue(value.name, cell, value.written))
    return replace(parameter, names=tuple(found.values()))


def _value(found: SweptValue, unit: str) -> ParameterValue:
    if unit == TEXT:
        return found.name or found.written
    return found.read[1] if found.read and found.read[0] == unit else None


def _text(written: dict[str, Any], key: str) -> str | None:
    value = value_in_document(written, key)
    return None if value is None else flow_text(value)


def flow_text(value: object) -> str:
    """Format a value of a study on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow_text(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)

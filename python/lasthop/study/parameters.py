"""The results columns of swept keys, and their values at a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.keys import column_name, scalar, sweepable_keys, value_at
from lasthop.study.study import ParameterValue, SweptParameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.study.grid import GridPart
    from lasthop.study.model import StudyForm

TEXT = "text"


@dataclass(frozen=True, slots=True)
class SweptValue:
    """The value of a swept key at a point.

    Parameters
    ----------
    read
        Its unit and its number; None for what is no number.
    written
        As it stands in the study.
    """

    read: tuple[str, ParameterValue] | None
    written: str | None


def swept_values(
    form: StudyForm, written: dict[str, Any], keys: Iterable[str]
) -> dict[str, SweptValue]:
    """Read the value of each swept key at a point."""
    return {
        key: SweptValue(
            scalar(value_at(form, key), sweepable_keys()[key].kind), _text(written, key)
        )
        for key in keys
    }


def swept_parameters(
    points: Iterable[tuple[GridPart, Mapping[str, SweptValue]]],
) -> dict[str, SweptParameter]:
    """Give the column of every swept key of the study.

    A key whose swept values are all numbers of one unit has a column of numbers; any other key
    has a column of text, so that every value of the sweep can be told apart.
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
    """Give the value of every swept column at a point, None where there is none."""
    return {parameter.column: _value(values[parameter.key], parameter.unit) for parameter in swept}


def _value(found: SweptValue, unit: str) -> ParameterValue:
    if unit == TEXT:
        return found.written
    return found.read[1] if found.read and found.read[0] == unit else None


def _text(written: dict[str, Any], key: str) -> str | None:
    value: Any = written
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return flow_text(value)


def flow_text(value: object) -> str:
    """Write a value of a study in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow_text(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)

"""The results columns of swept keys, and their values at a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.keys import column_name, scalar, sweepable_keys, value_at
from lasthop.study.study import ParameterValue, SweptParameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lasthop.study.document import Document
    from lasthop.study.grid import GridPart
    from lasthop.study.model import StudyForm

TEXT = "text"


def swept_parameters(
    points: Sequence[tuple[GridPart, StudyForm, Document]],
) -> dict[str, SweptParameter]:
    """Give the column of every swept key of the study.

    A key whose swept values are all numbers of one unit has a column of numbers; any other key
    has a column of text, so that every value of the sweep can be told apart.
    """
    units: dict[str, set[str]] = {}
    for part, form, _ in points:
        for axis in part.axes:
            read = scalar(value_at(form, axis.key), sweepable_keys()[axis.key].kind)
            units.setdefault(axis.key, set()).add(read[0] if read else TEXT)
    swept: dict[str, SweptParameter] = {}
    for key, found in units.items():
        unit = next(iter(found)) if len(found) == 1 else TEXT
        swept[key] = SweptParameter(key, column_name(key, unit), unit)
    return swept


def point_parameters(
    form: StudyForm, written: dict[str, Any], swept: Iterable[SweptParameter]
) -> dict[str, ParameterValue]:
    """Give the value of every swept column at a point, None where there is none."""
    values: dict[str, ParameterValue] = {}
    for parameter in swept:
        read = scalar(value_at(form, parameter.key), sweepable_keys()[parameter.key].kind)
        if parameter.unit == TEXT:
            values[parameter.column] = _text(written, parameter.key)
        else:
            values[parameter.column] = read[1] if read and read[0] == parameter.unit else None
    return values


def _text(written: dict[str, Any], key: str) -> str | None:
    value: Any = written
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return _flow(value)


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)

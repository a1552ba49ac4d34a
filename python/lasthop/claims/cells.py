"""The cells that a rule is about: a stack at a point of a part, with a value for each seed."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.points import Point, points_of
from lasthop.claims.arm_values import ArmValues
from lasthop.study.claims.claim import Area, Place
from lasthop.study.claims.measurand import Measurand
from lasthop.study.expressions import Expression
from lasthop.study.fields.quantity import Kind
from lasthop.study.forms.keys import column_name, sweepable_keys

_UNITS = {"queue": ("bytes", "packets")}


@dataclass(frozen=True, slots=True)
class Cell:
    """A stack at a point."""

    point: Point
    arm: AnswerArm
    conditions: Mapping[str, Any]
    """A row with the swept values."""

    @property
    def unsupported(self) -> str | None:
        """Why none of its runs can be simulated; None if one can."""
        troubles = self.arm.troubles
        if self.arm.completed.is_empty() and {one.status for one in troubles} == {"unsupported"}:
            return troubles[0].reason
        return None

    def values(self, measurand: Measurand) -> dict[int, float]:
        """Give the measured value for each seed. A missing column is empty."""
        completed = self.arm.completed
        known = [column for column in measurand.columns if column in completed.columns]
        rows = completed.select("seed", *known).iter_rows(named=True)
        return {row["seed"]: measurand.value(row) for row in rows}

    def measured(self, measurand: Measurand) -> ArmValues:
        """Give the values, and the data that their judgement needs."""
        measure = measurand.measure
        trials = self.arm.by_seed(measure.trials.of, worst=math.nan) if measure.trials else {}
        return ArmValues(
            values=self.values(measurand),
            measure=measure,
            trials=trials if trials and all(map(math.isfinite, trials.values())) else None,
            step=1.0 if measure.arrow_type == "int64" else 0.0,
        )

    def holds(self, expression: Expression) -> bool:
        """Whether every completed run satisfies an expression; false without runs."""
        rows = self.arm.rows()
        return bool(rows) and all(expression.evaluate(row) is not False for row in rows)


class Cells:
    """The runs of a study by part, stack and point."""

    def __init__(self, runs: pl.DataFrame) -> None:
        self._runs = runs
        self._parts: dict[str, dict[str, list[Cell]]] = {}

    def of(self, stack: str, area: Area) -> list[Cell]:
        """Choose the cells of a stack."""
        if area.part not in self._parts:
            self._parts[area.part] = self._of_part(area)
        cells = self._parts[area.part].get(stack, [])
        for place in area.at:
            if place.extreme is None:
                cells = [cell for cell in cells if _lies_at(cell, place)]
        if area.where is not None:
            cells = [cell for cell in cells if cell.unsupported or cell.holds(area.where)]
        for place in area.at:
            if place.extreme is not None:
                cells = _extreme(cells, place)
        return cells

    def _of_part(self, area: Area) -> dict[str, list[Cell]]:
        described = (_described(key, self._runs.columns) for key in area.swept)
        swept = [column for column in described if column is not None]
        found: dict[str, list[Cell]] = {}
        for point in points_of(self._runs, {"name": area.part, "swept": swept}):
            conditions = point.rows.row(0, named=True)
            for arm in arms_of(point.rows, ()):
                found.setdefault(arm.stack, []).append(Cell(point, arm, conditions))
        return found


def coordinate(cell: Cell, place: Place) -> float | None:
    """Give the value of a swept key at a cell; None if it is not a number."""
    row = cell.conditions
    values = (row.get(column) for column in place.columns)
    value = next((value for value in values if value is not None), None)
    return float(value) if isinstance(value, int | float) else None


def _lies_at(cell: Cell, place: Place) -> bool:
    return any(comparison.holds(cell.conditions) for comparison in place.comparisons)


def _extreme(cells: Sequence[Cell], place: Place) -> list[Cell]:
    found = [(value, cell) for cell in cells if (value := coordinate(cell, place)) is not None]
    if not found:
        return []
    wanted = (min if place.extreme == "lowest" else max)(value for value, _ in found)
    return [cell for value, cell in found if value == wanted]


def _described(key: str, columns: Collection[str]) -> dict[str, str] | None:
    """Describe the column of a swept key; None where the table has none."""
    kind = sweepable_keys()[key].kind
    units = (kind.column_unit,) if isinstance(kind, Kind) else _UNITS.get(str(kind), ())
    named = ((column_name(key, unit), unit) for unit in (*units, "text"))
    found = next(((name, unit) for name, unit in named if name in columns), None)
    return None if found is None else {"key": key, "column": found[0], "unit": found[1]}

"""The cells that a rule is about: a stack at a point of a part, with a value for each seed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.report.arms import Arm, arms_of
from lasthop.report.points import Point, points_of
from lasthop.study.claims.claim import Place
from lasthop.study.claims.measurand import Measurand
from lasthop.study.expressions import Expression
from lasthop.study.keys import column_name, sweepable_keys
from lasthop.study.quantity import Kind

_UNITS = {"queue": ("bytes", "packets")}


@dataclass(frozen=True, slots=True)
class Cell:
    """One stack at one point."""

    point: Point
    arm: Arm

    @property
    def conditions(self) -> Mapping[str, Any]:
        """A row that tells the swept values."""
        return self.point.rows.row(0, named=True)

    def values(self, measurand: Measurand) -> dict[int, float]:
        """Give the measured value for each seed."""
        return {row["seed"]: measurand.value(row) for row in self.arm.rows()}

    def holds(self, expression: Expression) -> bool:
        """Whether every completed run meets an expression; without a run it does not."""
        rows = self.arm.rows()
        return bool(rows) and all(expression.evaluate(row) is not False for row in rows)


class Cells:
    """The runs of a study by part, point and stack."""

    def __init__(self, runs: pl.DataFrame) -> None:
        self._runs = runs
        self._swept = _swept(runs.columns)
        self._points: dict[str, tuple[Point, ...]] = {}

    def of(
        self, stack: str, part: str, at: Sequence[Place], where: Expression | None = None
    ) -> list[Cell]:
        """Choose the cells of a stack in a part."""
        cells = [
            Cell(point, arms_of(point.rows.filter(pl.col("stack") == stack), [stack])[0])
            for point in self._points_of(part)
        ]
        for place in at:
            if place.extreme is None:
                cells = [cell for cell in cells if _lies_at(cell, place)]
        if where is not None:
            cells = [cell for cell in cells if cell.holds(where)]
        for place in at:
            if place.extreme is not None:
                cells = _extreme(cells, place)
        return cells

    def _points_of(self, part: str) -> tuple[Point, ...]:
        if part not in self._points:
            self._points[part] = points_of(self._runs, {"name": part, "swept": self._swept})
        return self._points[part]


def coordinate(cell: Cell, place: Place) -> float | None:
    """Give the value of a swept key at a cell; None if it is no number there."""
    row = cell.conditions
    values = (row.get(column) for column in place.columns)
    value = next((value for value in values if value is not None), None)
    return float(value) if isinstance(value, int | float) else None


def reached(values: Iterable[float]) -> bool:
    """Whether there is a finite value in every run."""
    return all(map(math.isfinite, values))


def _lies_at(cell: Cell, place: Place) -> bool:
    return any(comparison.holds(cell.conditions) for comparison in place.comparisons)


def _extreme(cells: Sequence[Cell], place: Place) -> list[Cell]:
    found = [(value, cell) for cell in cells if (value := coordinate(cell, place)) is not None]
    if not found:
        return []
    wanted = (min if place.extreme == "lowest" else max)(value for value, _ in found)
    return [cell for value, cell in found if value == wanted]


def _swept(columns: Sequence[str]) -> list[dict[str, str]]:
    """Find which columns hold swept keys, in the order of the table."""
    found: dict[str, dict[str, str]] = {}
    for key, known in sweepable_keys().items():
        kind = known.kind
        units = (kind.column_unit,) if isinstance(kind, Kind) else _UNITS.get(str(kind), ())
        for unit in (*units, "text"):
            name = column_name(key, unit)
            found.setdefault(name, {"key": key, "column": name, "unit": unit})
    return [found[column] for column in columns if column in found]

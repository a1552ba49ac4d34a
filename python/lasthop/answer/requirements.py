"""Requirements: what excludes a stack, by the mean of its runs or by that of a part of each."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.arms import Arm, Trouble
from lasthop.answer.group_rows import ReadGroups, rows_by_group
from lasthop.answer.quantities import format_quantity
from lasthop.measures import column_of
from lasthop.measures.groups import PLACE, WHOLE
from lasthop.study.expressions import Expression, parse_expression


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A requirement that a stack does not meet, and by which figure."""

    requirement: str
    figure: str


class Requirements:
    """The requirements of a study, held against the arms of one part.

    One that names a group, stratum or flow is met where each of those that it names meets it.

    Parameters
    ----------
    texts : sequence of str
        As written.
    runs : polars.DataFrame
        Those of the part, or their rows by group.
    groups : callable
        Reads ``groups.parquet``, for requirements that name a group, stratum or flow.
    """

    def __init__(self, texts: Sequence[str], runs: pl.DataFrame, groups: ReadGroups) -> None:
        self._expressions = [parse_expression(text) for text in texts]
        self._places = pl.DataFrame()
        self._found: dict[str, list[int]] = {}
        by_group = any(expression.is_by_group for expression in self._expressions)
        if by_group and not _is_laid_out(runs):
            self._places = rows_by_group(runs, groups())
            for row, run in enumerate(self._places["run_id"]):
                self._found.setdefault(run, []).append(row)

    @property
    def texts(self) -> tuple[str, ...]:
        """Give them as written."""
        return tuple(expression.text for expression in self._expressions)

    def exclusions(self, arm: Arm) -> tuple[Exclusion, ...]:
        """Say which of them an arm does not meet, by the mean over its runs."""
        return tuple(
            Exclusion(expression.text, figure)
            for expression in self._expressions
            if (figure := self._failing(expression, arm)) is not None
        )

    def misses(self, arm: Arm) -> Iterable[tuple[str, int]]:
        """Count the runs of an arm that fail a requirement, for each that some fail."""
        for expression in self._expressions:
            rows = self._rows(expression, arm).iter_rows(named=True)
            failing = {row["run_id"] for row in rows if expression.evaluate(row) is False}
            if failing:
                yield expression.text, len(failing)

    def _failing(self, expression: Expression, arm: Arm) -> str | None:
        """Give the figure that fails a requirement, the worst of its places."""
        if not expression.is_by_group:
            row = arm.mean_row()
            return _figure(expression, row, arm) if expression.evaluate(row) is False else None
        places = self._rows(expression, arm).partition_by(PLACE, maintain_order=True)
        means = [Arm(arm.stack, rows, ()).mean_row() for rows in places]
        judged = [(row, expression.evaluate(row)) for row in means]
        failing = [row for row, met in judged if met is False]
        if not failing:
            return None
        worst = max(failing, key=lambda row: _distance(expression, row))
        among = [row for row, met in judged if met is not None]
        return f"{_figure(expression, worst, arm)} for {_place(expression, worst, among)}"

    def _rows(self, expression: Expression, arm: Arm) -> pl.DataFrame:
        """Give the runs of an arm, by place where the requirement names one."""
        if not expression.is_by_group or _is_laid_out(arm.completed):
            return arm.completed
        found = [self._found.get(run, ()) for run in arm.completed["run_id"]]
        return self._places[[row for rows in found for row in rows]]


def _is_laid_out(runs: pl.DataFrame) -> bool:
    return set(PLACE) <= set(runs.columns)


def _place(
    expression: Expression, row: Mapping[str, Any], among: Sequence[Mapping[str, Any]]
) -> str:
    """Name what the requirement names, and what tells this place from others that it names."""
    asked = {comparison.column for comparison in expression.where}
    told = [name for name in PLACE if name in asked or len({one[name] for one in among}) > 1]
    return ", ".join(f"{name} {row[name]}" for name in told if row[name] != WHOLE)


def _column(expression: Expression, row: Mapping[str, Any]) -> str | None:
    return next((name for name in expression.comparison.columns if name in row), None)


def _distance(expression: Expression, row: Mapping[str, Any]) -> float:
    """Say how far a value lies from what is required of it."""
    name, needed = _column(expression, row), expression.comparison.value
    cell = None if name is None else row[name]
    if isinstance(cell, str) or isinstance(needed, str):
        return 0.0
    return math.inf if cell is None else abs(cell - needed)


def _figure(expression: Expression, row: Mapping[str, Any], arm: Arm) -> str:
    name = _column(expression, row)
    if name is None:
        return ""
    column, overload = column_of(name), arm.overload
    value = row[name]
    if isinstance(value, str):
        return value
    if overload is not None and column.is_waiting:
        return overload.status
    return format_quantity(value, column.unit, missing=column.missing)


def warnings(arm: Arm, requirements: Requirements) -> tuple[str, ...]:
    """Say what to know of an arm before its place is trusted."""
    completed = arm.completed.height
    total = completed + sum(trouble.runs for trouble in arm.troubles)
    return (
        *(f"{one.runs} of {total} runs {_said(one)}" for one in arm.troubles),
        *((_said(arm.overload),) if arm.overload else ()),
        *(
            f"{text} fails in {count} of {completed} runs"
            for text, count in requirements.misses(arm)
        ),
    )


def _said(trouble: Trouble) -> str:
    return f"{trouble.status}: {trouble.reason}"

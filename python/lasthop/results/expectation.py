"""A study's `expect`: what must be true of every completed run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.report.columns import column_of
from lasthop.report.quantities import format_quantity
from lasthop.study.expressions import Comparison, parse_expression

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedExpectation:
    """An expectation that some runs do not meet.

    Attributes
    ----------
    expectation
        As written in the study.
    failed, applied
        How many rows of runs do not meet it, of how many to which it applies.
    worst
        The run that is furthest from it: its id, part, stack, repetition and figure.
    """

    expectation: str
    failed: int
    applied: int
    worst: Mapping[str, Any]

    def __str__(self) -> str:
        """Say it in one line."""
        worst = self.worst
        return (
            f"expectation failed: {self.expectation}: false in {self.failed} of {self.applied} "
            f"rows of runs; worst: {worst['figure']} in run {worst['run_id']} "
            f"({worst['stack']}, part {worst['part']}, repetition {worst['repetition']})"
        )


def failed_expectations(
    runs: "pl.DataFrame", expectations: Sequence[str]
) -> tuple[FailedExpectation, ...]:
    """Hold each expectation against every completed run."""
    if not expectations:
        return ()
    rows = [row for row in runs.iter_rows(named=True) if row["status"] == "completed"]
    checked = (_check(text, rows) for text in expectations)
    return tuple(failure for failure in checked if failure is not None)


def _check(text: str, rows: Sequence[Mapping[str, Any]]) -> FailedExpectation | None:
    expression = parse_expression(text)
    verdicts = [(expression.evaluate(row), row) for row in rows]
    failing = [row for verdict, row in verdicts if verdict is False]
    if not failing:
        return None
    claim = expression.comparison
    worst = max(failing, key=lambda row: _distance(claim, row))
    return FailedExpectation(
        expectation=text,
        failed=len(failing),
        applied=sum(verdict is not None for verdict, _ in verdicts),
        worst={
            **{name: worst[name] for name in ("run_id", "part", "stack", "repetition")},
            "figure": _figure(claim, worst),
        },
    )


def _distance(claim: Comparison, row: Mapping[str, Any]) -> float:
    cell = row[_column(claim, row)]
    if isinstance(cell, str) or isinstance(claim.value, str):
        return 0.0
    return math.inf if cell is None else abs(cell - claim.value)


def _figure(claim: Comparison, row: Mapping[str, Any]) -> str:
    column = column_of(_column(claim, row))
    cell = row[column.name]
    written = (
        cell
        if isinstance(cell, str)
        else format_quantity(cell, column.unit, missing=column.missing)
    )
    return f"{claim.column} {written}"


def _column(claim: Comparison, row: Mapping[str, Any]) -> str:
    return next(name for name in claim.columns if name in row)

"""A study's `expect`: what must be true of every completed run."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.answer.quantities import format_quantity
from lasthop.measures import column_of
from lasthop.study.expressions import Comparison, Expression, parse_expression

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
    found = (held_expectation(runs, text) for text in expectations)
    return tuple(held.failure for held in found if held.failure is not None)


@dataclass(frozen=True, slots=True)
class HeldExpectation:
    """An expectation against the completed runs.

    Attributes
    ----------
    failed, applied
        As in `FailedExpectation`.
    failure
        None where every run meets it.
    """

    failed: int
    applied: int
    failure: FailedExpectation | None


def held_expectation(runs: "pl.DataFrame", text: str) -> HeldExpectation:
    """Hold one expectation against every completed run, a row at a time."""
    expression = parse_expression(text)
    claim = expression.comparison
    failed = applied = 0
    worst: Mapping[str, Any] | None = None
    for row in _completed(runs, expression):
        verdict = expression.evaluate(row)
        applied += verdict is not None
        if verdict is False:
            failed += 1
            if worst is None or _distance(claim, row) > _distance(claim, worst):
                worst = row
    if worst is None:
        return HeldExpectation(failed, applied, None)
    failure = FailedExpectation(
        expectation=text,
        failed=failed,
        applied=applied,
        worst={**{name: worst[name] for name in _NAMING}, "figure": _figure(claim, worst)},
    )
    return HeldExpectation(failed, applied, failure)


_NAMING = ("run_id", "part", "stack", "repetition")


def _completed(runs: "pl.DataFrame", expression: Expression) -> Iterator[Mapping[str, Any]]:
    read = {name for comparison in expression.comparisons for name in comparison.columns}
    columns = [name for name in runs.columns if name in {*_NAMING, "status", *read}]
    for row in runs.select(columns).iter_rows(named=True):
        if row["status"] == "completed":
            yield row


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

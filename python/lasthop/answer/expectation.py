"""The expectations of a study: what must hold in every completed run."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from lasthop.answer.group_rows import ReadGroups, no_groups, rows_by_group
from lasthop.answer.quantities import format_quantity
from lasthop.answer.requirement_words import in_words
from lasthop.measures import column_of
from lasthop.measures.groups import PLACE
from lasthop.study.expressions import Comparison, Expression, parse_expression

if TYPE_CHECKING:
    import polars as pl


class ExpectationVerdict(Enum):
    """The verdict on an expectation."""

    HELD = "held"
    FAILED = "failed"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """An expectation, held against the runs.

    Attributes
    ----------
    text
        As written in the study.
    table
        Which rows it is held against: ``runs``, or ``groups`` where it names one of them.
    verdict
        It holds when a completed run met it and none did not. Not judged is no pass.
    failed, applied
        How many rows of runs do not meet it, of how many to which it applies.
    worst
        The run that is furthest from it: its id, part, stack, repetition and figure; where groups
        are judged also which one.
    reason
        Why it could not be judged.
    """

    text: str
    verdict: ExpectationVerdict
    table: str = "runs"
    failed: int = 0
    applied: int = 0
    worst: Mapping[str, Any] | None = None
    reason: str = ""

    @property
    def words(self) -> str:
        """The expectation as a person says it."""
        return in_words(self.text)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "expectation": self.text,
            "verdict": self.verdict.value,
            "failed": self.failed,
            "applied": self.applied,
            "worst": self.worst,
            "reason": self.reason,
        }


def judge_expectations(
    runs: "pl.DataFrame", texts: Sequence[str], groups: ReadGroups = no_groups
) -> tuple[Expectation, ...]:
    """Judge each expectation against every completed run, row by row.

    Parameters
    ----------
    groups
        Reads ``groups.parquet``, for those that name a group, stratum or flow.
    """
    return tuple(_judged(runs, parse_expression(text), groups) for text in texts)


def _judged(runs: "pl.DataFrame", expression: Expression, groups: ReadGroups) -> Expectation:
    text, table = expression.text, "groups" if expression.is_by_group else "runs"
    if expression.is_by_group:
        runs = rows_by_group(runs, groups())
    claim = expression.comparison
    failed = applied = 0
    worst: Mapping[str, Any] | None = None
    for row in _completed(runs, expression):
        met = expression.evaluate(row)
        applied += met is not None
        if met is False:
            failed += 1
            if worst is None or _distance(claim, row) > _distance(claim, worst):
                worst = row
    if not applied:
        return Expectation(
            text=text, verdict=ExpectationVerdict.NOT_JUDGED, reason=_why_not(runs, expression)
        )
    naming = (*_NAMING, *PLACE) if expression.is_by_group else _NAMING
    if worst is None:
        return Expectation(text=text, verdict=ExpectationVerdict.HELD, table=table, applied=applied)
    return Expectation(
        text=text,
        verdict=ExpectationVerdict.FAILED,
        table=table,
        failed=failed,
        applied=applied,
        worst={**{name: worst[name] for name in naming}, "figure": _figure(claim, worst)},
    )


_NAMING = ("run_id", "part", "stack", "repetition")


def _completed(runs: "pl.DataFrame", expression: Expression) -> Iterator[Mapping[str, Any]]:
    read = {name for comparison in expression.comparisons for name in comparison.columns}
    columns = [name for name in runs.columns if name in {*_NAMING, *PLACE, "status", *read}]
    for row in runs.select(columns).iter_rows(named=True):
        if row["status"] == "completed":
            yield row


def _why_not(runs: "pl.DataFrame", expression: Expression) -> str:
    """Say why no completed run was there to be judged."""
    statuses = Counter(runs["status"].to_list())
    if statuses["completed"]:
        which = "its `where`" if len(expression.comparisons) > 1 else "it"
        return f"no completed run is one to which {which} applies"
    counted = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    return f"no run completed ({counted or 'there is none'})"


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

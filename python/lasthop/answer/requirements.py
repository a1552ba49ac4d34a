"""Requirements, which exclude stacks. They are judged for the population of possible runs."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import polars as pl

from lasthop.answer.arms import AnswerArm, Trouble
from lasthop.answer.group_rows import ReadGroups, rows_by_group
from lasthop.answer.quantities import format_quantity
from lasthop.answer.requirement_evidence import Evidence, evidence_of
from lasthop.answer.requirement_words import in_words
from lasthop.measures import column_of
from lasthop.measures.groups import PLACE, WHOLE
from lasthop.statistics.intervals import CONFIDENCE
from lasthop.study.expressions import Expression, parse_expression


class Met(Enum):
    """Whether runs show that a requirement is met."""

    MET = "met"
    NOT_MET = "not met"
    TOO_FEW = "too few to say"


@dataclass(frozen=True, slots=True)
class JudgedRequirement:
    """A requirement, held against one stack at one point.

    Parameters
    ----------
    requirement : str
        As written.
    met : Met
        Too few to say excludes nothing and fails nothing.
    figure : str
        The figure that was judged, the worst of its places; with its interval where there are too
        few runs or messages to say.
    bound : str
        Where nothing was to be observed and nothing was, how much of it there can be all the same.
    evidence : Evidence or None
        What the runs tell of the measure; None of what is no measure.
    observed : bool
        Whether the mean of the runs fulfils it.
    """

    requirement: str
    met: Met
    figure: str
    bound: str = ""
    evidence: Evidence | None = None
    observed: bool = True


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
    confidence : float
        Of the intervals: more than 95 % where the runs are looked at several times.
    """

    def __init__(
        self,
        texts: Sequence[str],
        runs: pl.DataFrame,
        groups: ReadGroups,
        *,
        confidence: float = CONFIDENCE,
    ) -> None:
        self._confidence = confidence
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

    def judged(self, arm: AnswerArm) -> tuple[JudgedRequirement, ...]:
        """Judge an arm by the requirements that apply to it."""
        found = (self._judged(expression, arm) for expression in self._expressions)
        return tuple(one for one in found if one is not None)

    def misses(self, arm: AnswerArm) -> Iterable[tuple[str, int]]:
        """Count the runs of an arm that fail a requirement, for each that some fail."""
        for expression in self._expressions:
            rows = self._rows(expression, arm).iter_rows(named=True)
            failing = {row["run_id"] for row in rows if expression.evaluate(row) is False}
            if failing:
                yield expression.text, len(failing)

    def _judged(self, expression: Expression, arm: AnswerArm) -> JudgedRequirement | None:
        """Judge by one requirement: the worst of the places that it names decides."""
        found = [
            (place, row, met)
            for place, row in self._arms(expression, arm)
            if (met := self._met(expression, place, row)) is not None
        ]
        if not found:
            return None
        worst = max((met for _, _, met in found), key=list(_BY_SEVERITY).index)
        arms = [(place, row) for place, row, met in found if met is worst]
        place, row = max(arms, key=lambda one: _distance(expression, one[1]))
        figure = _figure(expression, row, arm)
        evidence = self._evidence(expression, place)
        bound = ""
        if worst is Met.TOO_FEW and evidence is not None:
            figure = f"{figure}, {evidence.range}"
        if worst is Met.MET and evidence is not None and _asks_for_none(expression):
            bound = evidence.bound
        if expression.is_by_group:
            figure = f"{figure} for {_place(expression, row, [row for _, row, _ in found])}"
        observed = expression.evaluate(row) is True
        return JudgedRequirement(expression.text, worst, figure, bound, evidence, observed)

    def _met(self, expression: Expression, arm: AnswerArm, row: Mapping[str, Any]) -> Met | None:
        """Judge one place by its runs; None where the requirement does not apply to it."""
        observed = expression.evaluate(row)
        if observed is None:
            return None
        evidence = self._evidence(expression, arm)
        if evidence is None or evidence.is_exact or _asks_for_none(expression):
            return Met.MET if observed else Met.NOT_MET
        ends = {expression.comparison.admits(end) for end in evidence.ends}
        if len(ends) > 1:
            return Met.TOO_FEW
        return Met.MET if ends.pop() else Met.NOT_MET

    def _evidence(self, expression: Expression, arm: AnswerArm) -> Evidence | None:
        """Give what the runs of a place tell of a measure; None where none is required."""
        name = _column(expression, dict.fromkeys(arm.completed.columns))
        if name is None or (arm.overload is not None and column_of(name).is_waiting):
            return None
        return evidence_of(arm, column_of(name), confidence=self._confidence)

    def _arms(
        self, expression: Expression, arm: AnswerArm
    ) -> Iterator[tuple[AnswerArm, Mapping[str, Any]]]:
        """Give what is judged, each with the row of its means."""
        if not expression.is_by_group:
            yield arm, arm.mean_row()
            return
        for rows in self._rows(expression, arm).partition_by(PLACE, maintain_order=True):
            place = AnswerArm(arm.stack, rows, ())
            yield place, place.mean_row()

    def _rows(self, expression: Expression, arm: AnswerArm) -> pl.DataFrame:
        """Give the runs of an arm, by place where the requirement names one."""
        if not expression.is_by_group or _is_laid_out(arm.completed):
            return arm.completed
        found = [self._found.get(run, ()) for run in arm.completed["run_id"]]
        return self._places[[row for rows in found for row in rows]]


_BY_SEVERITY = (Met.MET, Met.TOO_FEW, Met.NOT_MET)


def _asks_for_none(expression: Expression) -> bool:
    """Tell whether nothing else than was observed counts: by `==`, or at the end of what can be.

    ``== 100 %`` and ``>= 100 %`` ask of deliveries that no loss was observed, ``<= 0`` of events
    that there was none.
    """
    comparison = expression.comparison
    if comparison.operator in {"==", "!="} or isinstance(comparison.value, str):
        return True
    known = next(iter(comparison.columns))
    least, most = column_of(known).possible
    edge = {">=": most, "<=": least}
    return comparison.value == edge.get(comparison.operator)


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


def _figure(expression: Expression, row: Mapping[str, Any], arm: AnswerArm) -> str:
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


def warnings(arm: AnswerArm, requirements: Requirements) -> tuple[str, ...]:
    """List the warnings of an arm that a reader must see beside its rank."""
    completed = arm.completed.height
    total = completed + sum(trouble.runs for trouble in arm.troubles)
    return (
        *(f"{one.runs} of {total} runs {_said(one)}" for one in arm.troubles),
        *((_said(arm.overload),) if arm.overload else ()),
        *(
            f"{one.met.value}: {in_words(one.requirement)} (is {one.figure})"
            for one in requirements.judged(arm)
            if one.met is Met.TOO_FEW
        ),
        *(
            f"{in_words(text)} is missed in {count} of {completed} runs"
            for text, count in requirements.misses(arm)
        ),
    )


def _said(trouble: Trouble) -> str:
    return f"{trouble.status}: {trouble.reason}"

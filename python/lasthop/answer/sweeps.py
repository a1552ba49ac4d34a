"""Along a sweep: from which value of the swept parameter on which stack leads."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.crossing import Crossing, crossing
from lasthop.answer.decision import Decision, PointDecision, decide_part
from lasthop.answer.group_rows import ReadGroups, no_groups
from lasthop.answer.points import Swept, parts_of, varied
from lasthop.measures import Kind, Measure, column_of, resolve_column
from lasthop.study.expressions import parse_expression


@dataclass(frozen=True, slots=True)
class Qualification:
    """A requirement that a stack meets on one side of a flip only.

    Parameters
    ----------
    stack, requirement : str
        As written.
    ends : bool
        Whether the stack meets it before the flip and not after it.
    """

    stack: str
    requirement: str
    ends: bool


@dataclass(frozen=True, slots=True)
class TooFew:
    """A requirement that the runs of a stack leave open.

    Parameters
    ----------
    stack, requirement : str
        As written.
    at : float
        At which value of the swept parameter.
    """

    stack: str
    requirement: str
    at: float


@dataclass(frozen=True, slots=True)
class Flip:
    """A change of the leading stack along the sweep.

    Parameters
    ----------
    before, after : str
        The two stacks.
    last, first : float
        The last point at which ``before`` leads alone, the first at which ``after`` does.
    unclear : tuple of float
        The points between them, at which nobody leads alone.
    qualification : Qualification or None
        What makes the difference; None where both stacks qualify and the aim decides.
    crossing : Crossing or None
        Of the lines of the two stacks, or of one stack's line with the requirement; None where
        a value is missing.
    too_few : tuple of TooFew
        Where there are too few runs or messages to say that a leader meets a requirement: the flip
        hangs on it.
    """

    before: str
    after: str
    last: float
    first: float
    unclear: tuple[float, ...]
    qualification: Qualification | None
    crossing: Crossing | None
    too_few: tuple[TooFew, ...] = ()


@dataclass(frozen=True, slots=True)
class SweepDecision:
    """The study's question, answered along a part that sweeps one number.

    Parameters
    ----------
    swept : Swept
        The parameter.
    decision : Decision
        At each of its points, in ascending order.
    flips : tuple of Flip
        Where the leader changes, in ascending order.
    """

    swept: Swept
    decision: Decision
    flips: tuple[Flip, ...]


def decide_along_sweeps(
    runs: pl.DataFrame, study: Mapping[str, Any], groups: ReadGroups = no_groups
) -> tuple[SweepDecision, ...]:
    """Answer the question of a study along each part that varies one number and nothing else.

    Parameters
    ----------
    runs : polars.DataFrame
        ``runs.parquet``.
    study : mapping
        The study as the manifest holds it; without an aim there is nothing to decide.
    groups : callable
        Reads ``groups.parquet``, for requirements that name a group, stratum or flow.
    """
    if not study.get("decide"):
        return ()
    return tuple(found for part in parts_of(study) for found in _along(runs, study, part, groups))


def _along(
    runs: pl.DataFrame, study: Mapping[str, Any], part: Mapping[str, Any], groups: ReadGroups
) -> Iterable[SweepDecision]:
    swept = varied(runs, part)
    if len(swept) != 1 or not runs[swept[0].column].dtype.is_numeric():
        return
    decision = decide_part(runs, study, part, groups)
    points = decision.points
    if decision.objective is None or any(point.point.values[0] is None for point in points):
        return
    yield SweepDecision(swept[0], decision, tuple(_flips(decision)))


def _flips(decision: Decision) -> Iterable[Flip]:
    leading = [
        (place, point.ranked[0].stack)
        for place, point in enumerate(decision.points)
        if point.stands_alone
    ]
    for (last, before), (first, after) in pairwise(leading):
        if before != after:
            yield _flip(decision, before, after, decision.points[last : first + 1])


def _flip(decision: Decision, before: str, after: str, points: Sequence[PointDecision]) -> Flip:
    qualification = _excluded(before, points[-1], ends=True)
    qualification = qualification or _excluded(after, points[0], ends=False)
    return Flip(
        before=before,
        after=after,
        last=points[0].point.values[0],
        first=points[-1].point.values[0],
        unclear=tuple(point.point.values[0] for point in points[1:-1]),
        qualification=qualification,
        crossing=(
            _crossing_of_aims(decision, before, after, points)
            if qualification is None
            else _crossing_of_requirement(qualification, points)
        ),
        too_few=tuple(_too_few((before, after), points)),
    )


def _too_few(stacks: Sequence[str], points: Sequence[PointDecision]) -> Iterable[TooFew]:
    for point in points:
        for stack in stacks:
            for one in point.too_few(stack):
                yield TooFew(stack, one.requirement, point.point.values[0])


def _excluded(stack: str, point: PointDecision, *, ends: bool) -> Qualification | None:
    for excluded in point.excluded:
        if excluded.arm.stack == stack:
            return Qualification(stack, excluded.because[0].requirement, ends)
    return None


def _crossing_of_aims(
    decision: Decision, before: str, after: str, points: Sequence[PointDecision]
) -> Crossing | None:
    objective = decision.objective
    if objective is None:
        return None
    lines = [
        [arm.by_seed(objective.column.name, worst=objective.worst) for arm in _arms(stack, points)]
        for stack in (before, after)
    ]
    differences = [
        {
            seed: _apart(there[seed], here[seed], objective.column)
            for seed in sorted(here.keys() & there.keys())
        }
        for here, there in zip(*lines, strict=True)
    ]
    return crossing(_positions(points), differences)


def _crossing_of_requirement(
    qualification: Qualification, points: Sequence[PointDecision]
) -> Crossing | None:
    expression = parse_expression(qualification.requirement)
    if expression.is_by_group:  # where the figures of whole runs cross its bound says nothing
        return None
    comparison = expression.comparison
    arms = _arms(qualification.stack, points)
    name = resolve_column(comparison.column, arms[0].completed.columns)
    if name is None or isinstance(comparison.value, str):
        return None
    bound = comparison.value
    column = column_of(name)
    differences = [
        {
            seed: _apart(value, bound, column)
            for seed, value in arm.by_seed(name, worst=math.inf).items()
        }
        for arm in arms
    ]
    return crossing(_positions(points), differences)


def _apart(value: float, other: float, column: Measure) -> float:
    """Give what is zero where two lines cross: the log ratio of positive quantities."""
    if column.kind is not Kind.POSITIVE:
        return value - other
    return math.log(value / other) if 0 < value < math.inf and 0 < other < math.inf else math.inf


def _arms(stack: str, points: Sequence[PointDecision]) -> list[AnswerArm]:
    found = [arms_of(point.point.rows, (stack,)) for point in points]
    return [next(arm for arm in arms if arm.stack == stack) for arms in found]


def _positions(points: Sequence[PointDecision]) -> list[float]:
    return [point.point.values[0] for point in points]

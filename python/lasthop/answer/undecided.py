"""Open questions of a study, with the interval and the repetitions that would settle each."""

from collections.abc import Iterable
from dataclasses import dataclass

from lasthop.answer.contrast_words import change_of, range_of
from lasthop.answer.decision import Decision, PointDecision
from lasthop.answer.ranking import Objective
from lasthop.answer.requirement_words import in_words
from lasthop.measures import Kind
from lasthop.statistics.intervals import Interval
from lasthop.statistics.planning import runs_to_decide


@dataclass(frozen=True, slots=True)
class Undecided:
    """Something that the repetitions so far do not settle.

    Parameters
    ----------
    name : str
        What it is, in words.
    interval : Interval
        What is known of it: of a rank, how the stack differs from the leader.
    unit : str or None
        Of the interval; None where it is a change by a factor.
    words : str
        The same as a person writes it.
    repetitions : int or None
        How many are expected to settle it; None where that cannot be foreseen.
    """

    name: str
    interval: Interval
    unit: str | None
    words: str
    repetitions: int | None


def undecided_ranks(decision: Decision) -> tuple[Undecided, ...]:
    """Return every ranked stack that is neither apart from its leader nor the same.

    A stack is apart where that is shown after all corrections, and the same where the interval
    lies within the smallest effect on both sides.
    """
    objective = decision.objective
    if objective is None:
        return ()
    tested = sum(point.p_value is not None for point in decision.points)
    # Holm's correction asks this of the first of the points.
    confidence = 1 - (1 - objective.confidence) / max(1, tested)
    return tuple(
        found
        for point in decision.points
        for found in _at_point(point, objective, confidence=confidence)
    )


def undecided_requirements(decision: Decision) -> tuple[Undecided, ...]:
    """Return each requirement that the runs of a stack leave open."""
    return tuple(
        Undecided(
            name=f"{in_words(one.requirement)} for {arm.stack}"
            + (f" at {point.point.label}" if point.point.label else ""),
            interval=one.evidence.interval,
            unit=one.evidence.measure.unit,
            words=one.figure,
            repetitions=None,
        )
        for point in decision.points
        for arm in point.ranked
        for one in point.too_few(arm.stack)
        if one.evidence is not None
    )


def _at_point(
    point: PointDecision, objective: Objective, *, confidence: float
) -> Iterable[Undecided]:
    for arm in point.ranked[1:]:
        margin = arm.margin
        if margin is None or margin.negligible or not margin.too_close:
            continue
        where = f" at {point.point.label}" if point.point.label else ""
        ratio = objective.column.kind is Kind.POSITIVE
        yield Undecided(
            name=f"{arm.stack} against {point.ranked[0].stack}{where}",
            interval=margin.contrast.change,
            unit=None if ratio else objective.column.unit,
            words=f"{change_of(margin.contrast, objective.column)} "
            f"({range_of(margin.contrast, objective.column) or 'a single run'})",
            repetitions=runs_to_decide(margin.contrast, margin.effect, confidence=confidence),
        )

"""What a study leaves open: a name, an interval, and how many repetitions would settle it."""

from collections.abc import Iterable
from dataclasses import dataclass

from lasthop.answer.decision import Decision, PointDecision
from lasthop.answer.ranking import Margin, Objective
from lasthop.statistics.intervals import FEWEST_FOR_T, Interval
from lasthop.statistics.planning import runs_needed


@dataclass(frozen=True, slots=True)
class Undecided:
    """Something that the repetitions so far do not settle.

    Parameters
    ----------
    name : str
        What it is, in words.
    interval : Interval
        What is known of it: of a rank, how much worse the stack is than the leader.
    unit : str or None
        Of the interval; None where it is a relative difference.
    repetitions : int or None
        How many are expected to settle it; None where that cannot be foreseen.
    """

    name: str
    interval: Interval
    unit: str | None
    repetitions: int | None


def undecided_ranks(decision: Decision) -> tuple[Undecided, ...]:
    """Return every ranked stack that is neither apart from its leader nor the same.

    A stack is apart when the paired interval lies beyond the smallest effect, and the same when
    it lies within it on both sides; both take five repetitions at least.
    """
    objective = decision.objective
    if objective is None:
        return ()
    return tuple(found for point in decision.points for found in _at_point(point, objective))


def _at_point(point: PointDecision, objective: Objective) -> Iterable[Undecided]:
    for arm in point.ranked[1:]:
        if arm.margin is None or _is_settled(arm.margin):
            continue
        where = f" at {point.point.label}" if point.point.label else ""
        yield Undecided(
            name=f"{arm.stack} against {point.ranked[0].stack}{where}",
            interval=arm.margin.relative,
            unit=None,
            repetitions=runs_needed(
                arm.margin.relative,
                half_width=abs(abs(arm.margin.relative.mean) - objective.smallest_effect),
                confidence=objective.confidence,
            ),
        )


def _is_settled(margin: Margin) -> bool:
    if margin.relative.repetitions < FEWEST_FOR_T:
        return False
    return margin.negligible or not margin.too_close

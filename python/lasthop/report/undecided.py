"""What a study leaves open: a name, an interval, and how many repetitions would settle it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lasthop.report.decision import Decision, PointDecision
from lasthop.report.ranking import Margin, Objective
from lasthop.statistics.intervals import (
    CONFIDENCE,
    FEWEST_FOR_T,
    Interval,
    IntervalKind,
    t_quantile,
)

_MOST_REPETITIONS = 1_000_000


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
            repetitions=_expected(arm.margin.relative, objective.smallest_effect),
        )


def _is_settled(margin: Margin) -> bool:
    if margin.relative.repetitions < FEWEST_FOR_T:
        return False
    return margin.negligible or not margin.too_close


def _expected(relative: Interval, smallest_effect: float) -> int | None:
    if relative.repetitions < FEWEST_FOR_T:
        return FEWEST_FOR_T
    if relative.kind is IntervalKind.RANGE:
        return None
    half_width = abs(abs(relative.mean) - smallest_effect)
    return repetitions_for(relative, half_width=half_width)


def repetitions_for(found: Interval, *, half_width: float) -> int | None:
    """Foresee how many repetitions bring an interval of five or more to a half-width.

    The spread so far stands for that of the repetitions to come.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> repetitions_for(interval([9.0, 10.0, 11.0, 10.5, 9.5]), half_width=0.5)
    13
    """
    count = found.repetitions
    reach = (found.high - found.low) / 2
    if half_width <= 0 or not math.isfinite(reach):
        return None
    deviation = reach * math.sqrt(count) / t_quantile(count - 1, CONFIDENCE)
    fewest, most = FEWEST_FOR_T, _MOST_REPETITIONS
    while fewest < most:
        middle = (fewest + most) // 2
        if t_quantile(middle - 1, CONFIDENCE) * deviation / math.sqrt(middle) <= half_width:
            most = middle
        else:
            fewest = middle + 1
    return fewest if fewest < _MOST_REPETITIONS else None

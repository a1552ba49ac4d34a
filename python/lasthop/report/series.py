"""Series: one column by point and stack, each value with its interval over the repetitions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.points import Point
from lasthop.answer.samples import Sample
from lasthop.measures import Measure
from lasthop.statistics.intervals import Interval, IntervalKind


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured values of one stack at one point.

    Parameters
    ----------
    point : Point
        Where.
    stack : str
        As written in the study.
    values : tuple of float
        One of each run; infinite where it has none.
    interval : Interval
        Their mean with its interval; under overload the middle one and the range of all.
    overloaded : bool
        Whether the queue never settles: then the runs stand for themselves and have no mean.
    """

    point: Point
    stack: str
    values: tuple[float, ...]
    interval: Interval
    overloaded: bool

    @classmethod
    def of(cls, point: Point, arm: AnswerArm, column: Measure) -> "Measured | None":
        """Find what an arm measured; None where no run of it completed."""
        values = tuple(arm.measured(column.name, worst=math.inf).values())
        if not values:
            return None
        if arm.overload is not None:
            spread = spread_of(values).within(*column.possible)
            return cls(point, arm.stack, values, spread, overloaded=True)
        found = Sample.of(arm, column, worst=math.inf).interval()
        return cls(point, arm.stack, values, found, overloaded=False)


def measured(
    points: Sequence[Point], stacks: Sequence[str], column: Measure
) -> tuple[Measured, ...]:
    """Find what was measured of ``column`` at each point by each of its arms that ran."""
    return tuple(
        found
        for point in points
        for arm in arms_of(point.rows.select(_read(column, point.rows.columns)), stacks)
        if (found := Measured.of(point, arm, column)) is not None
    )


def _read(column: Measure, existing: Sequence[str]) -> list[str]:
    trials = () if column.trials is None else (column.trials.of, column.trials.effective)
    wanted = {"stack", "seed", "status", "reason", column.name, *trials}
    return [name for name in existing if name in wanted]


def describe_series(series: Sequence[Measured]) -> str:
    """Describe the intervals of some series, for a caption."""
    if not series:
        return "nothing was measured"
    steady = [found.interval for found in series if not found.overloaded]
    if not steady:
        return "each run by itself, no interval"
    none = "; none under overload" if len(steady) < len(series) else ""
    return describe_intervals(steady) + none


def describe_intervals(intervals: Sequence[Interval]) -> str:
    """Describe one or more intervals.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> describe_intervals([interval([1.0, 2.0]), interval([1.0, 2.0])])
    'range over 2 repetitions (fewer than 5)'
    """
    counts = sorted({found.repetitions for found in intervals})
    repetitions = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    kinds = {found.kind for found in intervals}
    if kinds == {IntervalKind.SINGLE}:
        return "one repetition, so no interval"
    if kinds == {IntervalKind.SHARE}:
        return f"{IntervalKind.SHARE.value} over {repetitions} repetitions"
    if IntervalKind.STUDENT_T not in kinds:
        few = " (fewer than 5)" if counts[-1] < 5 else ""  # noqa: PLR2004
        return f"range over {repetitions} repetitions{few}"
    note = "; range where a value is missing or repetitions are few" if len(kinds) > 1 else ""
    return f"95 % t interval over {repetitions} repetitions{note}"


def spread_of(values: Sequence[float]) -> Interval:
    """Return the middle value and the range of runs that are not averaged."""
    return Interval(
        median_low(values),
        min(values),
        max(values),
        IntervalKind.RANGE,
        len(values),
        sum(map(math.isinf, values)),
    )

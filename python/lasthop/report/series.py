"""Series: one column by point and stack, each value with its interval over the repetitions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.report.arms import arms_of
from lasthop.report.columns import Column
from lasthop.report.points import Point
from lasthop.statistics.intervals import Interval, IntervalKind, interval


@dataclass(frozen=True, slots=True)
class Measured:
    """What one stack measured at one point."""

    point: Point
    stack: str
    value: Interval


def measured(
    points: Sequence[Point], stacks: Sequence[str], column: Column
) -> tuple[Measured, ...]:
    """Find the interval of ``column`` for each point and each of its arms that ran."""
    return tuple(
        Measured(point, arm.stack, interval(values))
        for point in points
        for arm in arms_of(
            point.rows.select("stack", "seed", "status", "reason", column.name), stacks
        )
        if (values := list(arm.by_seed(column.name, worst=math.inf).values()))
    )


def describe_intervals(intervals: Sequence[Interval]) -> str:
    """Say what the intervals are, for a caption.

    Examples
    --------
    >>> describe_intervals([interval([1.0, 2.0]), interval([1.0, 2.0])])
    'range over 2 repetitions (fewer than 5)'
    """
    if not intervals:
        return "nothing was measured"
    counts = sorted({found.repetitions for found in intervals})
    repetitions = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    kinds = {found.kind for found in intervals}
    if kinds == {IntervalKind.SINGLE}:
        return "one repetition, so no interval"
    if IntervalKind.STUDENT_T not in kinds:
        few = " (fewer than 5)" if counts[-1] < 5 else ""  # noqa: PLR2004
        return f"range over {repetitions} repetitions{few}"
    note = "; range where a value is missing or repetitions are few" if len(kinds) > 1 else ""
    return f"95 % t interval over {repetitions} repetitions{note}"

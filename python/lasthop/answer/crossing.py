"""The crossing of two lines along a sweep, interpolated between measured points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lasthop.statistics.estimates import number
from lasthop.statistics.intervals import Interval, IntervalKind, interval


@dataclass(frozen=True, slots=True)
class Crossing:
    """The value of the swept parameter at which a difference changes its sign.

    Parameters
    ----------
    at : Interval
        By linear interpolation, over the repetitions; both ends lie between measured points.
    crossed : int
        In how many repetitions the difference changes its sign; the others count with the end
        on whose side they stay.
    """

    at: Interval
    crossed: int


def crossing(
    positions: Sequence[float], differences: Sequence[Mapping[int, float]]
) -> Crossing | None:
    """Find where a difference, positive at first, becomes negative, or the other way round.

    Parameters
    ----------
    positions : sequence of float
        The values of the swept parameter, ascending, two or more.
    differences : sequence of mapping
        At each position the difference by seed.

    Returns
    -------
    Crossing or None
        None where the mean difference does not change its sign or a value is infinite: then
        nothing can be interpolated.

    Examples
    --------
    >>> found = crossing([0.0, 10.0], [{1: -1.0, 2: -2.0}, {1: 1.0, 2: 2.0}])
    >>> found.at.mean, found.crossed
    (5.0, 2)
    """
    seeds = sorted(set.intersection(*(set(found) for found in differences)))
    lines = [[found[seed] for found in differences] for seed in seeds]
    if not lines or not all(math.isfinite(value) for line in lines for value in line):
        return None
    mean_line = [math.fsum(column) / len(lines) for column in zip(*lines, strict=True)]
    at = _change_of_sign(positions, mean_line)
    if at is None:
        return None
    found = [_change_of_sign(positions, line) for line in lines]
    crossed = [value for value in found if value is not None]
    own = [
        _end(positions, mean_line, line) if value is None else value
        for value, line in zip(found, lines, strict=True)
    ]
    return Crossing(_around(at, own, positions, clamped=len(crossed) < len(own)), len(crossed))


def _change_of_sign(positions: Sequence[float], line: Sequence[float]) -> float | None:
    known = [place for place, value in enumerate(line) if value]
    for left, right in pairwise(known):
        before, after = line[left], line[right]
        if before * after > 0:
            continue
        if right > left + 1:  # it is zero at the points between
            return (positions[left + 1] + positions[right - 1]) / 2
        return positions[left] + (positions[right] - positions[left]) * before / (before - after)
    return None


def _end(positions: Sequence[float], mean_line: Sequence[float], line: Sequence[float]) -> float:
    """Return the end towards which the crossing of a line lies that has none in between."""
    as_at_first = math.fsum(line) * mean_line[0] > 0
    return positions[-1] if as_at_first else positions[0]


def _around(
    at: float, own: Sequence[float], positions: Sequence[float], *, clamped: bool
) -> Interval:
    if clamped and len(own) > 1:
        spread = Interval(at, min(own), max(own), IntervalKind.RANGE, len(own))
    else:
        spread = interval(own) if len(own) == 1 else number(own).interval
    low, high = (min(max(end, positions[0]), positions[-1]) for end in (spread.low, spread.high))
    return Interval(at, min(low, at), max(high, at), spread.kind, spread.repetitions)

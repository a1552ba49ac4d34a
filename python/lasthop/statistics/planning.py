"""How many repetitions a wanted precision needs."""

import math

from lasthop.statistics.intervals import (
    CONFIDENCE,
    FEWEST_FOR_T,
    Interval,
    IntervalKind,
    t_quantile,
)

MOST_RUNS = 1_000_000


def runs_needed(
    found: Interval, *, half_width: float, confidence: float = CONFIDENCE
) -> int | None:
    """Foresee how many repetitions bring an interval to a half-width.

    The spread so far stands for that of the repetitions to come, so the answer is an estimate:
    add what it says, then ask again. Bootstrap intervals of few repetitions are longer than
    Student's, and the answer then is on the safe side.

    Parameters
    ----------
    found : Interval
        What the repetitions so far say.
    half_width : float
        Half the length of the wanted interval, in the unit of the values.
    confidence : float
        Of both intervals.

    Returns
    -------
    int or None
        At least five, which a first look needs; None where nothing can be foreseen: a range, a
        half-width of 0, or more than a million repetitions.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> runs_needed(interval([9.0, 10.0, 11.0, 10.5, 9.5]), half_width=0.5)
    13
    """
    count = found.repetitions
    if count < FEWEST_FOR_T:
        return FEWEST_FOR_T
    reach = (found.high - found.low) / 2
    if found.kind is IntervalKind.RANGE or half_width <= 0 or not math.isfinite(reach):
        return None
    deviation = reach * math.sqrt(count) / t_quantile(count - 1, confidence)
    if not _suffices(MOST_RUNS, deviation, half_width, confidence):
        return None
    fewest, most = FEWEST_FOR_T, MOST_RUNS
    while fewest < most:
        middle = (fewest + most) // 2
        if _suffices(middle, deviation, half_width, confidence):
            most = middle
        else:
            fewest = middle + 1
    return fewest


def _suffices(runs: int, deviation: float, half_width: float, confidence: float) -> bool:
    return t_quantile(runs - 1, confidence) * deviation / math.sqrt(runs) <= half_width

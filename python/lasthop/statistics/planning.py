"""Estimates how many repetitions a wanted precision needs."""

import math

from lasthop.statistics.contrast import Contrast
from lasthop.statistics.intervals import CONFIDENCE, Interval
from lasthop.statistics.student_t import t_quantile

FIRST_LOOK = 5
"""Minimum repetitions to estimate a spread. With fewer, t intervals are very wide."""

MOST_RUNS = 1_000_000


def runs_to_decide(found: Contrast, effect: float, *, confidence: float = CONFIDENCE) -> int | None:
    """Estimate the repetitions that decide whether two arms differ by more than an effect.

    Parameters
    ----------
    found
        Comparison of the repetitions so far.
    effect
        As in `Contrast.p_value`.
    confidence
        Confidence level of the future intervals.
    """
    distance = abs(abs(found.additive.mean) - found.bound(effect))
    return runs_needed(found.additive, half_width=distance, confidence=confidence)


def runs_needed(
    found: Interval, *, half_width: float, confidence: float = CONFIDENCE
) -> int | None:
    """Estimate the repetitions that reduce an interval to a half-width.

    The spread so far stands for that of the repetitions to come, so the answer is an estimate:
    add what it says, then ask again. The spread is read off the interval as if it were Student's
    at the same level; where it is wider, the answer is on the safe side.

    Parameters
    ----------
    found : Interval
        Interval of the repetitions so far.
    half_width : float
        Half the length of the wanted interval, in the unit of the values.
    confidence : float
        Confidence level of both intervals.

    Returns
    -------
    int or None
        More than there are; at least five, which a first look needs; None where nothing can be
        foreseen: an open interval, a half-width of 0, or more than a million repetitions.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> runs_needed(interval([9.0, 10.0, 11.0, 10.5, 9.5]), half_width=0.5)
    13
    """
    count = found.repetitions
    if count == 1:
        return FIRST_LOOK
    reach = (found.high - found.low) / 2
    if half_width <= 0 or not math.isfinite(reach):
        return None
    deviation = reach * math.sqrt(count) / t_quantile(count - 1, confidence)
    if not _suffices(MOST_RUNS, deviation, half_width, confidence):
        return None
    fewest, most = max(count + 1, FIRST_LOOK), MOST_RUNS
    while fewest < most:
        middle = (fewest + most) // 2
        if _suffices(middle, deviation, half_width, confidence):
            most = middle
        else:
            fewest = middle + 1
    return fewest


def _suffices(runs: int, deviation: float, half_width: float, confidence: float) -> bool:
    return t_quantile(runs - 1, confidence) * deviation / math.sqrt(runs) <= half_width

"""How many repetitions a wanted precision needs."""

import math
from collections.abc import Sequence

from lasthop.statistics.intervals import CONFIDENCE, FEWEST_FOR_T, t_quantile

MOST_RUNS = 1_000_000
_FEWEST_TO_PLAN = 2


def runs_needed(values: Sequence[float], half_width: float) -> int | None:
    """Say how many repetitions bring the 95 % t interval of the mean to a half-width.

    The standard deviation of ``values`` stands for that of all repetitions to come, so the
    answer is an estimate: add what it says, then ask again. At least five; None where nothing
    can be foreseen: fewer than two values, an infinite one, or more than a million runs.

    Parameters
    ----------
    values : sequence of float
        The repetitions so far.
    half_width : float
        Half the length of the wanted interval, above 0, in the unit of the values.

    Examples
    --------
    >>> runs_needed([9.0, 10.0, 11.0, 10.5, 9.5], half_width=0.5)
    13
    """
    if half_width <= 0:
        message = "a half-width is larger than 0"
        raise ValueError(message)
    count = len(values)
    if count < _FEWEST_TO_PLAN or not all(map(math.isfinite, values)):
        return None
    mean = math.fsum(values) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    if not _suffices(MOST_RUNS, deviation, half_width):
        return None
    fewest, most = FEWEST_FOR_T, MOST_RUNS
    while fewest < most:
        middle = (fewest + most) // 2
        if _suffices(middle, deviation, half_width):
            most = middle
        else:
            fewest = middle + 1
    return fewest


def _suffices(runs: int, deviation: float, half_width: float) -> bool:
    return t_quantile(runs - 1, CONFIDENCE) * deviation / math.sqrt(runs) <= half_width

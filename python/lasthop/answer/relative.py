"""Differences related to what they are a difference from."""

import math

from lasthop.statistics.intervals import Interval


def relative_to(difference: Interval, reference: float) -> Interval:
    """Divide a difference by the size of ``reference``.

    Where that is zero or infinite any difference is infinitely large, and none is none.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> relative_to(interval([10.0, 20.0]), 100.0).mean
    0.15
    >>> relative_to(interval([10.0, 20.0]), 0.0).mean
    inf
    """
    size = abs(reference)
    if size > 0 and math.isfinite(size):
        return difference.scaled(1 / size)

    def beyond(value: float) -> float:
        return math.copysign(math.inf, value) if value else 0.0

    return Interval(
        beyond(difference.mean),
        beyond(difference.low),
        beyond(difference.high),
        difference.kind,
        difference.repetitions,
        difference.unreached,
    )

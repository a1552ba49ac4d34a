"""Verdicts on a simulation beside real software: whether they differ by too much."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.statistics.intervals import Interval


class TwinVerdict(Enum):
    """The verdict on the difference between simulator and real software."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNDECIDED = "undecided"
    BOTH_NEVER = "both never"
    """Neither world reaches the percentile in any repetition, so nothing can be compared."""


def judge(found: Interval, most: float) -> TwinVerdict:
    """Return the verdict on an interval. A single repetition is undecided.

    What has no end, of the interval or of the limit, decides nothing.
    """
    ends = (found.low, found.mean, found.high, most)
    if found.repetitions == 1 or not all(map(math.isfinite, ends)):
        return TwinVerdict.UNDECIDED
    if -most <= found.low and found.high <= most:
        return TwinVerdict.INSIDE
    if found.low > most or found.high < -most:
        return TwinVerdict.OUTSIDE
    return TwinVerdict.UNDECIDED

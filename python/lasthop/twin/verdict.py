"""Whether a difference lies within its limit."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.statistics.intervals import Interval


class Verdict(Enum):
    """Whether the simulator is as near to real software as it says."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNDECIDED = "undecided"


def judge(found: Interval, most: float) -> Verdict:
    """Say where an interval lies; of one repetition there is none."""
    if found.repetitions == 1 or not math.isfinite(found.mean):
        return Verdict.UNDECIDED
    if -most <= found.low and found.high <= most:
        return Verdict.INSIDE
    if found.low > most or found.high < -most:
        return Verdict.OUTSIDE
    return Verdict.UNDECIDED

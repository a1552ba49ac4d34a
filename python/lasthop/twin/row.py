"""A metric in both worlds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.twin.verdict import TwinVerdict

if TYPE_CHECKING:
    from lasthop.statistics.intervals import Interval
    from lasthop.twin.limits import Limit


@dataclass(frozen=True, slots=True)
class TwinRow:
    """A metric of a stack at a place, in both worlds.

    Parameters
    ----------
    difference
        Live less virtual, with its interval.
    limit
        What the difference is held against.
    """

    place: str
    stack: str
    metric: str
    unit: str
    virtual: Interval
    live: Interval
    difference: Interval
    limit: Limit
    verdict: TwinVerdict

    @property
    def most(self) -> float:
        """The largest difference that is inside."""
        return self.limit.around(self.virtual.mean)

    @property
    def limits_apart(self) -> float:
        """The difference of both worlds, in limits.

        It is infinite where a run of one of them has no value, and less than nothing where none
        has: that row is the last to be shown.
        """
        if self.verdict is TwinVerdict.BOTH_NEVER:
            return -1.0
        if self.virtual.unreached or self.live.unreached:
            return math.inf
        apart = abs(self.difference.mean)
        if self.most > 0:
            return apart / self.most
        return math.inf if apart else 0.0

    @property
    def shortage(self) -> float:
        """How much narrower than the limit, or wider, the interval must be for a verdict."""
        return abs(abs(self.difference.mean) - self.most)

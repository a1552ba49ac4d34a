"""A metric with its values in both worlds."""

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
        Live minus virtual, with its interval.
    limit
        Accepted difference.
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
        """Return the largest difference that is inside the limit."""
        return self.limit.around(self.virtual.mean)

    @property
    def limits_apart(self) -> float:
        """Return the difference divided by the limit.

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
        """Return by how much the interval is too wide or too close to the limit for a verdict."""
        return abs(abs(self.difference.mean) - self.most)

"""Comparison of two arms: a ratio or difference with its interval and p-values."""

import math
from dataclasses import dataclass
from enum import Enum

from lasthop.statistics.evidence import Evidence, Side
from lasthop.statistics.intervals import Interval


class Scale(Enum):
    """The scale of a comparison: ratio or difference."""

    RATIO = "ratio"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Comparison of an arm with its base arm.

    Parameters
    ----------
    scale : Scale
        Whether the arms are compared by ratio or by difference.
    additive : Interval
        Interval of the difference, or of the logarithm of the ratio of geometric means.
    evidence : Evidence or None
        Evidence of the interval; None for single runs.
    barred : frozenset of {"above", "below"}
        Sides on which the new arm may not be said to lie, because more of its runs lack a value
        there.
    paired : bool
        Whether repetitions with the same seed were compared with each other.
    identical : bool
        Whether every repetition gave the same in both arms.
    """

    scale: Scale
    additive: Interval
    evidence: Evidence | None
    barred: frozenset[Side]
    paired: bool
    identical: bool

    @property
    def interval(self) -> Interval:
        """Return the ratio of geometric means, or the difference in the values' unit."""
        return self.additive.exponentiated() if self.scale is Scale.RATIO else self.additive

    @property
    def change(self) -> Interval:
        """Return the interval as a change: a ratio minus one, or the difference."""
        return self.interval.shifted(-1) if self.scale is Scale.RATIO else self.interval

    def p_value(self, effect: float, side: Side) -> float:
        """Return the smallest alpha at which the new arm is beyond an effect on one side.

        It is 1 where nothing says so.

        Parameters
        ----------
        effect
            For a ratio a share (0.05 means a factor of 1.05 on either side); else in the unit of
            the values.
        side
            Side of the base.
        """
        if self.evidence is None or side in self.barred or self.identical:
            return 1.0
        bound = self.bound(effect)
        return self.evidence.p_value(bound if side == "above" else -bound, side)

    def is_within(self, effect: float) -> bool:
        """Return whether the interval lies within an effect on both sides."""
        if self.evidence is None:
            return False
        bound = self.bound(effect)
        return self.identical or (-bound <= self.additive.low and self.additive.high <= bound)

    def bound(self, effect: float) -> float:
        """Return an effect converted to the scale of the additive interval."""
        return math.log1p(effect) if self.scale is Scale.RATIO else effect

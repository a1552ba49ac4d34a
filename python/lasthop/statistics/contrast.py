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
        Whether it is new over base or new less base.
    additive : Interval
        Of the logarithm of the ratio of geometric means, or of the difference.
    evidence : Evidence or None
        Behind it; None of single runs, which claim nothing.
    barred : frozenset of {"above", "below"}
        Where the new arm may not be said to lie: more of its runs are without a value there.
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
            Of a ratio a share, 0.05 for 1.05 times on either side; else in the unit of the values.
        side
            Of the base.
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

"""Values of two arms for a comparison, paired by seed if possible."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lasthop.statistics.evidence import Parted, Side, Student

Values = Mapping[int, float]
"""A value for each seed; infinite if a run has none."""


@dataclass(frozen=True, slots=True)
class Arms:
    """The values of two arms, with infinite values replaced by the farthest measured value.

    The replacement makes the arms more alike than they are. Therefore an arm with more infinite
    values than the other one is never said to lie on the other side (it is barred there), and the
    end of the interval towards them is open.

    Parameters
    ----------
    new, base : tuple of float
        Finite values, in pairs if ``paired``. They are zero if no value was finite.
    paired, identical : bool
        As in a contrast.
    barred : frozenset of {"above", "below"}
        Sides on which the new arm may not be said to lie.
    open_ends : frozenset of {"above", "below"}
        Sides on which the interval has no end.
    parted : Parted or None
        Evidence if all values of one arm are infinite and none of the other arm.
    """

    new: tuple[float, ...]
    base: tuple[float, ...]
    paired: bool
    identical: bool
    barred: frozenset[Side]
    open_ends: frozenset[Side]
    parted: Parted | None

    @classmethod
    def of(cls, new: Values, base: Values) -> "Arms":
        """Return two arms, paired by seed if most seeds are common.

        They are paired where most seeds of the smaller arm are in the other one too.
        """
        common = sorted(new.keys() & base.keys())
        paired = 2 * len(common) > min(len(new), len(base))
        after, before = (
            tuple(arm[seed] for seed in common) if paired else tuple(arm.values())
            for arm in (new, base)
        )
        finite = [value for value in (*after, *before) if math.isfinite(value)]
        least, most = min(finite, default=0.0), max(finite, default=0.0)
        beyond = _Beyond.of(after, before)
        return cls(
            new=tuple(min(max(value, least), most) for value in after),
            base=tuple(min(max(value, least), most) for value in before),
            paired=paired,
            identical=(paired and after == before) or (not finite and len({*after, *before}) == 1),
            barred=beyond.barred,
            open_ends=beyond.open_ends,
            parted=beyond.parted(len(after), len(before)),
        )

    @property
    def repetitions(self) -> int:
        """Return the number of repetitions of the smaller arm."""
        return min(len(self.new), len(self.base))

    @property
    def difference(self) -> float:
        """Return the difference of the means, new minus base."""
        return _mean(self.new) - _mean(self.base)

    def student(self, floor: float = 0.0) -> Student:
        """Return the t statistic of the difference: paired, or Welch's."""
        if not self.paired:
            return Student.welch(self.new, self.base, floor=floor)
        pairs = zip(self.new, self.base, strict=True)
        return Student.of([new - base for new, base in pairs], floor=floor)


@dataclass(frozen=True, slots=True)
class _Beyond:
    """Shares of infinite runs in two arms, above and below."""

    new_above: float
    new_below: float
    base_above: float
    base_below: float

    @classmethod
    def of(cls, new: Sequence[float], base: Sequence[float]) -> "_Beyond":
        return cls(
            *(arm.count(end) / len(arm) for arm in (new, base) for end in (math.inf, -math.inf))
        )

    @property
    def barred(self) -> frozenset[Side]:
        return _sides(
            above=self.base_above > self.new_above or self.new_below > self.base_below,
            below=self.new_above > self.base_above or self.base_below > self.new_below,
        )

    @property
    def open_ends(self) -> frozenset[Side]:
        return _sides(
            above=self.new_above > 0 or self.base_below > 0,
            below=self.base_above > 0 or self.new_below > 0,
        )

    def parted(self, new: int, base: int) -> Parted | None:
        if (self.new_above == 1 and not self.base_above) or (
            self.base_below == 1 and not self.new_below
        ):
            return Parted.of("above", new, base)
        if (self.base_above == 1 and not self.new_above) or (
            self.new_below == 1 and not self.base_below
        ):
            return Parted.of("below", new, base)
        return None


def _sides(*, above: bool, below: bool) -> frozenset[Side]:
    found: dict[Side, bool] = {"above": above, "below": below}
    return frozenset(side for side, holds in found.items() if holds)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)

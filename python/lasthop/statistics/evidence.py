"""Evidence from repetitions: an interval at every level, and p-values that invert it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lasthop.statistics.student_t import t_quantile, t_tail

Side = Literal["above", "below"]

Ends = tuple[float, float]


class Evidence(Protocol):
    """An interval at each level.

    A p-value is the smallest alpha at which the 1 - alpha interval lies wholly on a side of a
    bound; so it is two-sided, and 1 where the estimate itself does not lie there.
    """

    def ends(self, confidence: float) -> Ends:
        """Give the two ends of the interval at a level."""

    def p_value(self, bound: float, side: Side) -> float:
        """Give the smallest alpha at which the interval lies on that side of a bound."""


@dataclass(frozen=True, slots=True)
class Student:
    """A mean whose error follows Student's t.

    Parameters
    ----------
    mean, standard_error : float
        Of the repetitions.
    freedom : float
        Degrees of freedom.
    """

    mean: float
    standard_error: float
    freedom: float

    @classmethod
    def of(cls, values: Sequence[float], *, floor: float = 0.0) -> "Student":
        """Take two values or more; their standard deviation is at least ``floor``."""
        count = len(values)
        deviation = max(standard_deviation(values), floor)
        return cls(math.fsum(values) / count, deviation / math.sqrt(count), count - 1)

    @classmethod
    def welch(cls, new: Sequence[float], base: Sequence[float], *, floor: float = 0.0) -> "Student":
        """Take the difference of two means, of two values or more each.

        Welch (1947, Biometrika 34:28) with Satterthwaite's degrees of freedom.
        """
        shares = [
            max(standard_deviation(values), floor) ** 2 / len(values) for values in (new, base)
        ]
        variance = math.fsum(shares)
        lost = math.fsum(
            share**2 / (len(values) - 1) for share, values in zip(shares, (new, base), strict=True)
        )
        mean = math.fsum(new) / len(new) - math.fsum(base) / len(base)
        freedom = variance**2 / lost if lost else len(new) + len(base) - 2
        return cls(mean, math.sqrt(variance), freedom)

    def ends(self, confidence: float) -> Ends:
        """Give the interval of Student's t."""
        reach = t_quantile(self.freedom, confidence) * self.standard_error
        return self.mean - reach, self.mean + reach

    def p_value(self, bound: float, side: Side) -> float:
        """Give twice the tail of Student's t."""
        distance = self.mean - bound if side == "above" else bound - self.mean
        if distance <= 0:
            return 1.0
        if self.standard_error == 0:
            return 0.0
        return 2 * t_tail(distance / self.standard_error, self.freedom)


@dataclass(frozen=True, slots=True)
class Wider:
    """Several intervals of one number, of which the wider one holds on each side."""

    parts: tuple[Evidence, ...]

    def ends(self, confidence: float) -> Ends:
        """Give the lower of the lower ends and the higher of the higher ones."""
        found = [part.ends(confidence) for part in self.parts]
        return min(low for low, _ in found), max(high for _, high in found)

    def p_value(self, bound: float, side: Side) -> float:
        """Give the largest of the p-values."""
        return max(part.p_value(bound, side) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Guarded:
    """An interval that counts only together with a second interval beyond the same bound."""

    shown: Evidence
    guard: Evidence

    def ends(self, confidence: float) -> Ends:
        """Give the interval without its guard."""
        return self.shown.ends(confidence)

    def p_value(self, bound: float, side: Side) -> float:
        """Give the larger p-value of the two."""
        return max(self.shown.p_value(bound, side), self.guard.p_value(bound, side))


@dataclass(frozen=True, slots=True)
class Parted:
    """All values of one arm lie beyond measure and none of the other's: there is no number.

    Where both arms reach a run with the same chance they part so, either way, in at most
    2 / 4^n of all cases with n repetitions each.
    """

    side: Side
    chance: float

    @classmethod
    def of(cls, side: Side, new: int, base: int) -> "Parted":
        """Take the numbers of repetitions."""
        share = new / (new + base)
        return cls(side, min(1.0, 2 * share**new * (1 - share) ** base))

    def ends(self, confidence: float) -> Ends:
        """Give an interval beyond measure, or one that is open on both sides."""
        infinite = math.inf if self.side == "above" else -math.inf
        return (infinite, infinite) if self.chance <= 1 - confidence else (-math.inf, math.inf)

    def p_value(self, bound: float, side: Side) -> float:  # noqa: ARG002  (beyond every bound)
        """Give the chance that equal arms part so."""
        return self.chance if side == self.side else 1.0


def p_by_inversion(
    ends: Callable[[float], Ends], bound: float, side: Side, *, estimate: float
) -> float:
    """Search the p-value of an interval that is known by its ends at each alpha."""
    if (estimate <= bound) if side == "above" else (estimate >= bound):
        return 1.0

    def beyond(score: float) -> bool:
        low, high = ends(_alpha(score))
        return low > bound if side == "above" else high < bound

    low, high = 0.0, _FARTHEST_SCORE
    if beyond(high):
        return _alpha(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) else (low, middle)
    return _alpha(low)


def standard_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of at least two values; 0 if they are equal."""
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return 0.0 if deviation <= _ROUNDING * abs(mean) else deviation


def _alpha(score: float) -> float:
    """Give the chance that a normal value lies farther from its mean than a score."""
    return math.erfc(score / math.sqrt(2))


_FARTHEST_SCORE = 37.0
_HALVINGS = 60
_ROUNDING = 1e-13

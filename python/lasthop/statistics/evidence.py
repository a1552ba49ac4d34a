"""Evidence from repetitions: intervals at any confidence level, and their p-values."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lasthop.statistics.student_t import t_quantile, t_tail

Side = Literal["above", "below"]

Ends = tuple[float, float]


class Evidence(Protocol):
    """Interface of an estimate with an interval at every confidence level.

    A p-value is the smallest alpha at which the 1 - alpha interval lies wholly on a side of a
    bound; so it is two-sided, and 1 where the estimate itself does not lie there.
    """

    def ends(self, confidence: float) -> Ends:
        """Return both ends of the interval at a confidence level."""

    def p_value(self, bound: float, side: Side) -> float:
        """Return the smallest alpha at which the interval excludes a bound on that side."""


@dataclass(frozen=True, slots=True)
class Student:
    """A mean whose error follows Student's t.

    Parameters
    ----------
    mean, standard_error : float
        Mean of the repetitions and its standard error.
    freedom : float
        Degrees of freedom.
    """

    mean: float
    standard_error: float
    freedom: float

    @classmethod
    def of(cls, values: Sequence[float], *, floor: float = 0.0) -> "Student":
        """Return the mean of two or more values, with a minimum standard deviation."""
        count = len(values)
        deviation = max(standard_deviation(values), floor)
        return cls(math.fsum(values) / count, deviation / math.sqrt(count), count - 1)

    @classmethod
    def welch(cls, new: Sequence[float], base: Sequence[float], *, floor: float = 0.0) -> "Student":
        """Return the difference of two means by Welch's t test.

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
        """Return Student's t interval."""
        reach = t_quantile(self.freedom, confidence) * self.standard_error
        return self.mean - reach, self.mean + reach

    def p_value(self, bound: float, side: Side) -> float:
        """Return the two-sided p-value of Student's t."""
        distance = self.mean - bound if side == "above" else bound - self.mean
        if distance <= 0:
            return 1.0
        if self.standard_error == 0:
            return 0.0
        return 2 * t_tail(distance / self.standard_error, self.freedom)


@dataclass(frozen=True, slots=True)
class Wider:
    """The union of several intervals of one number: the wider end on each side."""

    parts: tuple[Evidence, ...]

    def ends(self, confidence: float) -> Ends:
        """Return the lowest lower end and the highest upper end."""
        found = [part.ends(confidence) for part in self.parts]
        return min(low for low, _ in found), max(high for _, high in found)

    def p_value(self, bound: float, side: Side) -> float:
        """Return the largest p-value."""
        return max(part.p_value(bound, side) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Guarded:
    """An interval that counts only if a second interval excludes the same bound."""

    shown: Evidence
    guard: Evidence

    def ends(self, confidence: float) -> Ends:
        """Return the interval without the guard."""
        return self.shown.ends(confidence)

    def p_value(self, bound: float, side: Side) -> float:
        """Return the larger of both p-values."""
        return max(self.shown.p_value(bound, side), self.guard.p_value(bound, side))


@dataclass(frozen=True, slots=True)
class Parted:
    """Evidence on arms of which one has only infinite values and the other has none.

    Where both arms reach a run with the same chance they part so, either way, in at most
    2 / 4^n of all cases with n repetitions each.
    """

    side: Side
    chance: float

    @classmethod
    def of(cls, side: Side, new: int, base: int) -> "Parted":
        """Return the evidence from the numbers of repetitions."""
        share = new / (new + base)
        return cls(side, min(1.0, 2 * share**new * (1 - share) ** base))

    def ends(self, confidence: float) -> Ends:
        """Return an infinite interval on one side, or one that is open on both sides."""
        infinite = math.inf if self.side == "above" else -math.inf
        return (infinite, infinite) if self.chance <= 1 - confidence else (-math.inf, math.inf)

    def p_value(self, bound: float, side: Side) -> float:  # noqa: ARG002  (beyond every bound)
        """Return the probability that equal arms separate this way."""
        return self.chance if side == self.side else 1.0


def p_by_inversion(
    ends: Callable[[float], Ends], bound: float, side: Side, *, estimate: float
) -> float:
    """Return a p-value by searching the alpha at which an interval touches a bound."""
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
    """Return the two-sided tail probability of a normal score."""
    return math.erfc(score / math.sqrt(2))


_FARTHEST_SCORE = 37.0
_HALVINGS = 60
_ROUNDING = 1e-13

"""Intervals over repetitions. The unit is a repetition, not a message."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from lasthop.statistics.student_t import t_quantile

FEWEST_FOR_T = 5
"""Minimum repetitions for a t interval. Fewer repetitions give a range."""

CONFIDENCE = 0.95


class IntervalKind(Enum):
    """Method by which an interval was computed."""

    STUDENT_T = "95 % t interval"
    LOG_T = "95 % t interval of the logarithms"
    NEWCOMBE = "95 % interval, the wider of t and Newcombe's,"
    SHARE = "95 % interval of the effective sample"
    POISSON = "95 % interval, the wider of t and Poisson's,"
    RANGE = "range"
    SINGLE = "single run"
    EXACT = "one number"


@dataclass(frozen=True, slots=True)
class Interval:
    """Mean of repetitions with its interval.

    Parameters
    ----------
    mean, low, high : float
        In the unit of the values. ``mean`` is infinite when one value is.
    kind : IntervalKind
        Kind of interval that ``low`` and ``high`` form.
    repetitions : int
        How many values there were.
    unreached : int
        How many of them were infinite.
    """

    mean: float
    low: float
    high: float
    kind: IntervalKind
    repetitions: int
    unreached: int = 0

    @property
    def kind_text(self) -> str:
        """Describe the kind of interval with its count, for a caption.

        Examples
        --------
        >>> interval([1.0, 2.0]).kind_text
        'range of 2 runs'
        """
        if self.kind is IntervalKind.SINGLE:
            return "single run, no interval"
        return f"{self.kind.value} of {self.repetitions} runs"

    def negated(self) -> "Interval":
        """Return the interval of the negated values."""
        return Interval(
            -self.mean, -self.high, -self.low, self.kind, self.repetitions, self.unreached
        )

    def scaled(self, factor: float) -> "Interval":
        """Return the interval multiplied by a positive ``factor``."""
        return Interval(
            self.mean * factor,
            self.low * factor,
            self.high * factor,
            self.kind,
            self.repetitions,
            self.unreached,
        )

    def shifted(self, by: float) -> "Interval":
        """Return the interval plus a number."""
        return replace(self, mean=self.mean + by, low=self.low + by, high=self.high + by)

    def exponentiated(self) -> "Interval":
        """Return the interval of a number from that of its logarithm."""
        mean, low, high = map(exponential, (self.mean, self.low, self.high))
        return replace(self, mean=mean, low=low, high=high)

    def within(self, lowest: float, highest: float) -> "Interval":
        """Return the interval limited to possible values.

        An end that is not reached stays so.
        """
        low = self.low if math.isinf(self.low) else max(self.low, lowest)
        high = self.high if math.isinf(self.high) else min(self.high, highest)
        return replace(self, low=low, high=high)


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of repetitions with its interval.

    Five finite repetitions or more give a 95 % Student t interval of the mean. Fewer, or
    infinite ones among them, give their range.

    Examples
    --------
    >>> found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> found.mean, round(found.low, 3), round(found.high, 3)
    (3.0, 1.037, 4.963)
    """
    count = len(values)
    if count == 0:
        message = "an interval needs at least one repetition"
        raise ValueError(message)
    unreached = sum(1 for value in values if math.isinf(value))
    mean = _mean(values)
    if count == 1:
        return Interval(mean, mean, mean, IntervalKind.SINGLE, 1, unreached)
    if count < FEWEST_FOR_T or unreached:
        return Interval(mean, min(values), max(values), IntervalKind.RANGE, count, unreached)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half_width = t_quantile(count - 1, CONFIDENCE) * math.sqrt(variance / count)
    return Interval(mean, mean - half_width, mean + half_width, IntervalKind.STUDENT_T, count)


def _mean(values: Sequence[float]) -> float:
    infinite = [value for value in values if math.isinf(value)]
    return infinite[0] if infinite else math.fsum(values) / len(values)


def exponential(value: float) -> float:
    """Return e to the power of a number; infinity on overflow."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf

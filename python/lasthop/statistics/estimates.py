"""Estimates of one arm: the mean of its repetitions, by kind of measure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.statistics.contrasts import RESOLUTION_FLOOR
from lasthop.statistics.evidence import Ends, Evidence, Side, Student, Wider
from lasthop.statistics.intervals import CONFIDENCE, Interval, IntervalKind, exponential
from lasthop.statistics.pooled import PooledCount, PooledShare


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of two or more repetitions, with its interval.

    Parameters
    ----------
    interval : Interval
        Interval in the unit of the values.
    evidence : Evidence
        Evidence of the interval.
    """

    interval: Interval
    evidence: Evidence


def amount(
    values: Sequence[float], *, resolution: float = 0.0, confidence: float = CONFIDENCE
) -> Estimate:
    """Estimate a positive quantity: the wider of t intervals on values and on logarithms.

    What lies beyond a bound with its mean and with its typical value alike is shown to lie there,
    as in a comparison of two arms; but values without variance are taken as they are. Values of
    which one is zero have the t alone.
    """
    student = Student.of(values)
    if min(values) <= 0:
        return _estimate(values, student, IntervalKind.STUDENT_T, confidence)
    logs = [math.log(value) for value in values]
    floor = RESOLUTION_FLOOR * resolution / student.mean
    typical = Exponential(Student.of(logs, floor=floor))
    return _estimate(values, Wider((student, typical)), IntervalKind.LOG_T, confidence)


def share(
    values: Sequence[float],
    *,
    trials: Sequence[float] | None = None,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Estimate a share: the wider of a t interval and Wilson's interval of all trials."""
    if trials is None or not any(trials):
        return number(values, confidence=confidence)
    both = zip(values, trials, strict=True)
    pooled = PooledShare(math.fsum(value * count for value, count in both), math.fsum(trials))
    evidence = Wider((Student.of(values), pooled))
    return _estimate(values, evidence, IntervalKind.NEWCOMBE, confidence)


def count(values: Sequence[float], *, confidence: float = CONFIDENCE) -> Estimate:
    """Estimate a count: the wider of a t interval and a Poisson interval of the total."""
    pooled = PooledCount(math.fsum(values), len(values))
    evidence = Wider((Student.of(values), pooled))
    return _estimate(values, evidence, IntervalKind.POISSON, confidence)


def number(
    values: Sequence[float], *, floor: float = 0.0, confidence: float = CONFIDENCE
) -> Estimate:
    """Estimate a number of any sign by a t interval. ``floor``: minimum standard deviation."""
    return _estimate(values, Student.of(values, floor=floor), IntervalKind.STUDENT_T, confidence)


def _estimate(
    values: Sequence[float], evidence: Evidence, kind: IntervalKind, confidence: float
) -> Estimate:
    mean = math.fsum(values) / len(values)
    return Estimate(Interval(mean, *evidence.ends(confidence), kind, len(values)), evidence)


@dataclass(frozen=True, slots=True)
class Exponential:
    """An estimate on the logarithmic scale, converted to the number."""

    logarithm: Evidence

    def ends(self, confidence: float) -> Ends:
        """Return both ends of the interval of the number."""
        low, high = self.logarithm.ends(confidence)
        return exponential(low), exponential(high)

    def p_value(self, bound: float, side: Side) -> float:
        """Return the p-value from the logarithmic scale."""
        if bound <= 0:  # below every positive quantity
            return 0.0 if side == "above" else 1.0
        return self.logarithm.p_value(math.log(bound), side)

"""The evidence of a stack's runs on one measure, for judging a requirement."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.answer.arms import AnswerArm
from lasthop.answer.quantities import SPACE, format_quantity, format_range
from lasthop.answer.samples import Sample
from lasthop.measures import Kind, Measure
from lasthop.statistics import estimates
from lasthop.statistics.effective_sample import share_evidence
from lasthop.statistics.intervals import (
    CONFIDENCE,
    FEWEST_FOR_T,
    Interval,
    IntervalKind,
)

_FEWEST_FOR_POISSON = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """The interval of a measure over its runs.

    Parameters
    ----------
    measure : Measure
        What it is.
    interval : Interval
        Of a share with a width, even of one run; of other measures by fewer than five runs their
        range.
    trials : float or None
        Of a share, how many messages count.
    confidence : float
        Of the interval.
    """

    measure: Measure
    interval: Interval
    trials: float | None
    confidence: float

    @property
    def level(self) -> str:
        """The confidence level of the interval in words."""
        return f"{100 * self.confidence:.3g}{SPACE}%"

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value that the runs leave open."""
        return self.interval.low, self.interval.high

    @property
    def is_exact(self) -> bool:
        """Whether the value is taken as it is."""
        return not math.isfinite(self.interval.mean)

    @property
    def range(self) -> str:
        """The interval in words."""
        what = "range" if self.interval.kind is IntervalKind.RANGE else f"{self.level} interval"
        return f"{what} {format_range(self.interval, self.measure.unit)}"

    @property
    def bound(self) -> str:
        """The distance between the observed value and its bound, in words; empty without trials."""
        if self.measure.kind is Kind.SHARE and self.trials is not None:
            least = self.interval.mean > 1 / 2
            end = self.interval.low if least else self.interval.high
            words = "as low as" if least else "as high as"
            return (
                f"{words} {format_quantity(end, self.measure.unit)} "
                f"({self.level} confidence, {self.trials:,.0f} messages)"
            )
        if self.measure.kind is Kind.COUNT and self.interval.repetitions > 1:
            most = format_quantity(self.interval.high, "")
            return f"as high as {most} a run ({self.level} confidence)"
        return ""


def evidence_of(
    arm: AnswerArm, measure: Measure, *, confidence: float = CONFIDENCE
) -> Evidence | None:
    """Give the evidence of an arm's runs; None if nothing was measured."""
    if not measure.is_measured or measure.name not in arm.completed.columns:
        return None
    sample = Sample.of(arm, measure, worst=math.inf)
    values = list(sample.values.values())
    if not values:
        return None
    trials = [sample.trials[seed] for seed in sample.values] if sample.trials else []
    if not all(map(math.isfinite, values)):
        return Evidence(measure, sample.interval(), None, confidence)
    if measure.kind is Kind.SHARE and any(trials):
        found = _of_share(values, trials, confidence)
        return Evidence(measure, found, math.fsum(trials), confidence)
    none = measure.kind is Kind.COUNT and not any(values)
    is_estimated = len(values) >= (_FEWEST_FOR_POISSON if none else FEWEST_FOR_T)
    found = _estimate(sample, confidence) if is_estimated else sample.interval()
    return Evidence(measure, found.within(*measure.possible), None, confidence)


def _of_share(values: Sequence[float], trials: Sequence[float], confidence: float) -> Interval:
    """Give the interval of a share, of one run too."""
    mean = math.fsum(values) / len(values)
    low, high = share_evidence(values, trials).ends(confidence)
    ends = max(0.0, min(low, mean)), min(1.0, max(high, mean))
    return Interval(mean, *ends, IntervalKind.SHARE, len(values))


def _estimate(sample: Sample, confidence: float) -> Interval:
    values = list(sample.values.values())
    match sample.measure.kind:
        case Kind.POSITIVE:
            return estimates.amount(values, confidence=confidence).interval
        case Kind.COUNT:
            return estimates.count(values, confidence=confidence).interval
        case _:
            return estimates.number(values, confidence=confidence).interval

"""Samples: the repetitions of an arm, compared by the kind of their measure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lasthop.answer.arms import AnswerArm
from lasthop.measures import Kind, Measure
from lasthop.statistics.contrast import Contrast
from lasthop.statistics.contrasts import (
    DECIBEL_FLOOR,
    difference,
    difference_of_counts,
    difference_of_shares,
    ratio,
)
from lasthop.statistics.effective_sample import share_interval
from lasthop.statistics.intervals import CONFIDENCE, Interval, interval


@dataclass(frozen=True, slots=True)
class Sample:
    """A value of one measure for each seed.

    Parameters
    ----------
    measure : Measure
        What it is.
    values : mapping of int to float
        Infinite where a run has none.
    trials : mapping of int to float or None
        Of a share, how many trials each run had, where that is known.
    """

    measure: Measure
    values: Mapping[int, float]
    trials: Mapping[int, float] | None = None

    @classmethod
    def of(cls, arm: AnswerArm, measure: Measure, *, worst: float) -> "Sample":
        """Read the completed runs of an arm. An empty cell counts as ``worst``."""
        trials = _trials(arm, measure)
        return cls(
            measure=measure,
            values=arm.by_seed(measure.name, worst=worst),
            trials=trials if trials and all(map(math.isfinite, trials.values())) else None,
        )

    def interval(self) -> Interval:
        """Find the mean over the runs and its interval."""
        values = list(self.values.values())
        if self.measure.kind is not Kind.SHARE or self.trials is None:
            return interval(values).within(*self.measure.possible)
        return share_interval(values, [self.trials[seed] for seed in self.values])

    def against(self, base: "Sample", *, confidence: float = CONFIDENCE) -> Contrast:
        """Compare it with a base, with a value or more each."""
        arms = self.values, base.values
        match self.measure.kind:
            case Kind.SHARE:
                known = self.trials is not None and base.trials is not None
                trials = (self.trials or {}, base.trials or {}) if known else None
                return difference_of_shares(*arms, trials=trials, confidence=confidence)
            case Kind.COUNT:
                return difference_of_counts(*arms, confidence=confidence)
            case Kind.DECIBEL:
                return difference(*arms, floor=DECIBEL_FLOOR, confidence=confidence)
            case _:
                resolution = 1.0 if self.measure.arrow_type == "int64" else 0.0
                return ratio(*arms, resolution=resolution, confidence=confidence)

    def effect(self, smallest: float) -> float:
        """Give the smallest effect on the scale of a comparison with this base.

        It is a share of an amount, and so of a count (of its mean here) and of the power behind
        decibels; of a share it is percentage points.
        """
        match self.measure.kind:
            case Kind.COUNT:
                finite = [value for value in self.values.values() if math.isfinite(value)]
                return smallest * abs(math.fsum(finite)) / len(finite) if finite else 0.0
            case Kind.DECIBEL:
                return 10 * math.log10(1 + smallest)
            case _:
                return smallest


def _trials(arm: AnswerArm, measure: Measure) -> Mapping[int, float]:
    """Give how many trials of a share count in each run; none where that is not known."""
    if measure.trials is None:
        return {}
    for column in (measure.trials.effective, measure.trials.of):
        found = arm.by_seed(column, worst=math.nan) if column else {}
        if found and all(map(math.isfinite, found.values())):
            return found
    return {}

"""Values of one stack of a rule, and estimates of them or of two of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from lasthop.measures import Kind, Measure
from lasthop.statistics.contrast import Contrast, Scale
from lasthop.statistics.contrasts import (
    DECIBEL_FLOOR,
    RESOLUTION_FLOOR,
    difference,
    difference_of_counts,
    difference_of_shares,
    ratio,
)
from lasthop.statistics.estimates import Estimate, Exponential, amount, count, number, share


@dataclass(frozen=True, slots=True)
class ArmValues:
    """One number for each repetition of one stack.

    Parameters
    ----------
    values
        By seed; infinite where a run has none.
    measure
        Whose kind says how they are judged; None of what a sweep makes of it, a change or a peak.
    trials
        Of a share, how many trials each run had, where that is known.
    step
        What the values are rounded to, in their unit: of a peak the distance of points.
    """

    values: Mapping[int, float]
    measure: Measure | None
    trials: Mapping[int, float] | None = None
    step: float = 0.0

    @property
    def kind(self) -> Kind | None:
        """The kind of comparison; None for any number."""
        return None if self.measure is None else self.measure.kind

    @property
    def peak_step(self) -> float:
        """The distance between points at which it can peak; zero if it is not a peak."""
        return self.step if self.measure is None else 0.0

    @property
    def constant(self) -> bool:
        """Whether it is one number other than zero that is neither a share, a count nor a peak."""
        values = set(self.values.values())
        by_chance = self.kind in {Kind.SHARE, Kind.COUNT} or self.peak_step > 0
        return len(values) == 1 and 0 not in values and not by_chance

    def estimate(self) -> Estimate:
        """Estimate it from at least two finite values."""
        values = list(self.values.values())
        match self.kind:
            case Kind.POSITIVE:
                return amount(values, resolution=self.step)
            case Kind.SHARE:
                known = self.trials
                trials = None if known is None else [known[seed] for seed in self.values]
                return share(values, trials=trials)
            case Kind.COUNT:
                return count(values)
            case _:
                return number(values, floor=RESOLUTION_FLOOR * self.step)

    def over(self, base: "ArmValues") -> Estimate:
        """Judge its ratio to another one."""
        return _estimate(ratio(self.values, base.values, resolution=self.step))

    def less(self, base: "ArmValues") -> Estimate:
        """Judge its difference from another one."""
        arms = self.values, base.values
        match self.kind:
            case Kind.SHARE:
                known = self.trials is not None and base.trials is not None
                trials = (self.trials or {}, base.trials or {}) if known else None
                return _estimate(difference_of_shares(*arms, trials=trials))
            case Kind.COUNT:
                return _estimate(difference_of_counts(*arms))
            case _:
                decibels = self.kind is Kind.DECIBEL
                floor = DECIBEL_FLOOR if decibels else RESOLUTION_FLOOR * self.step
                return _estimate(difference(*arms, floor=floor))


def _estimate(contrast: Contrast) -> Estimate:
    if contrast.evidence is None:
        message = "an estimate needs two repetitions"
        raise ValueError(message)
    if contrast.identical:
        same = 1.0 if contrast.scale is Scale.RATIO else 0.0
        return number([same] * contrast.additive.repetitions)
    evidence = contrast.evidence
    on_its_scale = Exponential(evidence) if contrast.scale is Scale.RATIO else evidence
    return Estimate(contrast.interval, on_its_scale)

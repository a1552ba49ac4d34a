"""The change of a measure between two arms, over repetitions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from lasthop.answer.samples import Sample
from lasthop.statistics.contrast import Contrast
from lasthop.statistics.evidence import Side, standard_deviation
from lasthop.statistics.intervals import CONFIDENCE, Interval, interval


class EffectVerdict(Enum):
    """The verdict on a change."""

    WORSE = "worse"
    BETTER = "better"
    UNDECIDED = "undecided"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Effect:
    """The change of one measure of one arm.

    Parameters
    ----------
    base, new : Interval
        Of the measure, in its unit.
    contrast : Contrast
        New beside base.
    smallest : float
        The smallest effect, on the scale of the contrast.
    standardised : float or None
        The difference of the means in standard deviations of the repetitions (Cohen's d with
        the pooled standard deviation); infinite where they do not vary, None of single runs.
    p_value : float or None
        Of the test that the change lies beyond the smallest effect, in either direction; None
        where there is nothing to test: a single run, repetitions that are all equal.
    verdict : EffectVerdict
        By the change and the smallest effect.
    """

    base: Interval
    new: Interval
    contrast: Contrast
    smallest: float
    standardised: float | None
    p_value: float | None
    verdict: EffectVerdict

    @property
    def size(self) -> float:
        """The size of the change in smallest effects."""
        least, change = self.contrast.bound(self.smallest), abs(self.contrast.additive.mean)
        return change / least if least else math.inf if change else 0.0

    def corrected(self, p_value: float) -> "Effect":
        """Return it with a corrected p-value. A change that the correction opens is undecided.

        It takes a verdict of a change away and never makes one.
        """
        changed = self.verdict in {EffectVerdict.WORSE, EffectVerdict.BETTER}
        left = EffectVerdict.UNDECIDED if changed and p_value > 1 - CONFIDENCE else self.verdict
        return replace(self, p_value=p_value, verdict=left)


def effect(base: Sample, new: Sample, *, more_is_better: bool, smallest_effect: float) -> Effect:
    """Compare two arms, with a value or more each, as a decision compares them.

    Where most seeds of the smaller arm are in the other too, repetitions are compared in pairs.
    """
    before, after = list(base.values.values()), list(new.values.values())
    contrast, least = new.against(base), base.effect(smallest_effect)
    p_values: dict[Side, float] = {}
    if contrast.evidence is not None and not contrast.identical:
        p_values = {"above": contrast.p_value(least, "above")}
        p_values["below"] = contrast.p_value(least, "below")
    same = contrast.identical or contrast.is_within(least)
    return Effect(
        base=base.interval(),
        new=new.interval(),
        contrast=contrast,
        smallest=least,
        standardised=_standardised(before, after),
        p_value=min(p_values.values(), default=None),
        verdict=_changed(p_values, more_is_better=more_is_better)
        or (EffectVerdict.SAME if same else EffectVerdict.UNDECIDED),
    )


def _changed(p_values: dict[Side, float], *, more_is_better: bool) -> EffectVerdict | None:
    shown = [side for side, p_value in p_values.items() if p_value <= 1 - CONFIDENCE]
    if not shown:
        return None
    return EffectVerdict.BETTER if (shown[0] == "above") is more_is_better else EffectVerdict.WORSE


def _standardised(base: Sequence[float], new: Sequence[float]) -> float | None:
    if min(len(base), len(new)) < 2:  # noqa: PLR2004  (one run has no spread)
        return None
    before, after = interval(base).mean, interval(new).mean
    change = 0.0 if before == after else after - before
    if change == 0 or not math.isfinite(change):
        return change
    spreads = standard_deviation(base), standard_deviation(new)
    pooled = math.hypot(*spreads) / math.sqrt(2)
    return change / pooled if pooled else math.copysign(math.inf, change)

"""How much a measure changed between two arms, by repetitions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from lasthop.answer.relative import relative_to
from lasthop.statistics.bootstrap import Bootstrap, bootstrap_interval, t_tail
from lasthop.statistics.intervals import (
    CONFIDENCE,
    FEWEST_FOR_T,
    Interval,
    IntervalKind,
    interval,
    t_quantile,
)

Values = Mapping[int, float]
"""A value for each seed."""


class Verdict(Enum):
    """What a change means."""

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
    difference : Interval
        New less base, in its unit.
    relative : Interval
        The same as a fraction of the mean of the base.
    standardised : float or None
        The difference of the means in standard deviations of the repetitions (Cohen's d with
        the pooled standard deviation); infinite where they do not vary, None of single runs.
    paired : bool
        Whether repetitions with the same seed were compared with each other.
    p_value : float or None
        Of the test that the change lies beyond the smallest effect, in either direction; None
        where there is nothing to test: fewer than five repetitions, a value that is not
        reached, repetitions that are all equal.
    verdict : Verdict
        By the relative change and the smallest effect.
    """

    base: Interval
    new: Interval
    difference: Interval
    relative: Interval
    standardised: float | None
    paired: bool
    p_value: float | None
    verdict: Verdict

    def corrected(self, p_value: float) -> "Effect":
        """Return it with a p-value that allows for other tests: what it leaves open is undecided.

        It takes a verdict of a change away and never makes one.
        """
        changed = self.verdict in {Verdict.WORSE, Verdict.BETTER}
        left = Verdict.UNDECIDED if changed and p_value > 1 - CONFIDENCE else self.verdict
        return replace(self, p_value=p_value, verdict=left)


def effect(base: Values, new: Values, *, more_is_better: bool, smallest_effect: float) -> Effect:
    """Compare two arms that have a value for each seed, at least one each.

    Where most seeds of the smaller arm are in the other too, repetitions are compared in pairs,
    by the bootstrap as in a decision.
    A pair in which both are infinite has not changed.
    """
    common = base.keys() & new.keys()
    paired = 2 * len(common) > min(len(base), len(new))
    before, after = interval(list(base.values())), interval(list(new.values()))
    bound = smallest_effect * abs(before.mean) if math.isfinite(before.mean) else 0.0
    if paired:
        differences = [_less(new[seed], base[seed]) for seed in sorted(common)]
        difference = bootstrap_interval(differences)
        p_value = _p_paired(differences, difference, bound)
    else:
        difference, p_value = _unpaired(list(new.values()), list(base.values()), bound)
    relative = relative_to(difference, before.mean)
    return Effect(
        base=before,
        new=after,
        difference=difference,
        relative=relative,
        standardised=_standardised(list(base.values()), list(new.values())),
        paired=paired,
        p_value=p_value,
        verdict=_verdict(relative, more_is_better=more_is_better, smallest=smallest_effect),
    )


def _p_paired(differences: Sequence[float], found: Interval, bound: float) -> float | None:
    if found.kind is not IntervalKind.BOOTSTRAP or found.low == found.high:
        return None
    drawn = Bootstrap.of(differences)
    return min(drawn.p_value(bound, "above"), drawn.p_value(-bound, "below"))


def _unpaired(
    new: Sequence[float], base: Sequence[float], bound: float
) -> tuple[Interval, float | None]:
    """Find the interval of the difference of two means (Welch), or its range when few.

    With it comes the p-value of a difference beyond a bound.
    """
    before, after = interval(base), interval(new)
    count = min(before.repetitions, after.repetitions)
    unreached = before.unreached + after.unreached
    mean = _less(after.mean, before.mean)
    if count == 1:
        return Interval(mean, mean, mean, IntervalKind.SINGLE, 1, unreached), None
    if count < FEWEST_FOR_T or unreached:
        low, high = _less(min(new), max(base)), _less(max(new), min(base))
        return Interval(mean, low, high, IntervalKind.RANGE, count, unreached), None
    shares = [_variance(values) / len(values) for values in (base, new)]
    spread = math.fsum(shares)
    if spread == 0:
        return Interval(mean, mean, mean, IntervalKind.STUDENT_T, count), None
    # Welch and Satterthwaite's degrees of freedom.
    freedom = spread**2 / math.fsum(
        share**2 / (len(values) - 1) for share, values in zip(shares, (base, new), strict=True)
    )
    error = math.sqrt(spread)
    half_width = t_quantile(freedom, CONFIDENCE) * error
    found = Interval(mean, mean - half_width, mean + half_width, IntervalKind.STUDENT_T, count)
    beyond = abs(mean) - bound
    return found, 2 * t_tail(beyond / error, freedom) if beyond > 0 else 1.0


def _less(value: float, other: float) -> float:
    # What is infinite in both has not changed.
    return 0.0 if value == other else value - other


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _standardised(base: Sequence[float], new: Sequence[float]) -> float | None:
    if min(len(base), len(new)) < 2:  # noqa: PLR2004  (one run has no spread)
        return None
    change = _less(interval(new).mean, interval(base).mean)
    if change == 0 or not math.isfinite(change):
        return change
    pooled = math.sqrt((_variance(base) + _variance(new)) / 2)
    return change / pooled if pooled else math.copysign(math.inf, change)


def _verdict(relative: Interval, *, more_is_better: bool, smallest: float) -> Verdict:
    worse = relative.negated() if more_is_better else relative
    if worse.low == worse.high == 0:
        return Verdict.SAME
    if worse.kind is IntervalKind.SINGLE:
        return Verdict.UNDECIDED
    if worse.low > smallest:
        return Verdict.WORSE
    if worse.high < -smallest:
        return Verdict.BETTER
    within = -smallest <= worse.low and worse.high <= smallest
    return Verdict.SAME if within else Verdict.UNDECIDED

"""Comparisons of two arms, for each kind of measure, from two repetitions on.

`docs/decisions/0010-comparing-from-few-repetitions.md` says why by these formulas;
`benchmarks/comparing.py` measures how often each of them is wrong.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from lasthop.statistics.arms import Arms, Values
from lasthop.statistics.contrast import Contrast, Scale
from lasthop.statistics.evidence import Evidence, Guarded, Student, Wider
from lasthop.statistics.intervals import CONFIDENCE, Interval, IntervalKind
from lasthop.statistics.pooled import PooledCount, PooledDifference, PooledShare

SPREAD_FLOOR = 0.02
"""Minimum standard deviation of log ratios, because few repetitions can agree by chance."""

RESOLUTION_FLOOR = 0.4
"""Minimum standard deviation in units of the rounding step of the values."""

DECIBEL_FLOOR = 10 * math.log10(1 + SPREAD_FLOOR)
"""Minimum standard deviation in decibels."""

_Judge = Callable[[Arms], Evidence]


def ratio(
    new: Values, base: Values, *, resolution: float = 0.0, confidence: float = CONFIDENCE
) -> Contrast:
    """Compare positive values by a t test of log ratios, checked by arithmetic means.

    Zero is to a positive quantity what infinity is: beyond measure.

    Parameters
    ----------
    new, base
        One value or more each.
    resolution
        Rounding step of the values.
    confidence
        Confidence level of the interval.
    """

    def judge(arms: Arms) -> Evidence:
        typical = math.exp(min(_mean(arms.new), _mean(arms.base)))
        floor = max(SPREAD_FLOOR, RESOLUTION_FLOOR * resolution / typical)
        return Guarded(arms.student(floor), _of_arithmetic_means(arms))

    logs = _in_logarithms(new), _in_logarithms(base)
    return _contrast(*logs, judge, Scale.RATIO, IntervalKind.LOG_T, confidence)


def difference_of_shares(
    new: Values,
    base: Values,
    *,
    trials: tuple[Values, Values] | None = None,
    confidence: float = CONFIDENCE,
) -> Contrast:
    """Compare shares: the wider of a t interval and Newcombe's interval of all trials.

    Parameters
    ----------
    new, base
        From 0 to 1; one value or more each.
    trials
        How many each run of both arms had. Without them the t stands alone, and its standard
        deviation is at least 2 % of the share or of its rest, whichever is smaller.
    confidence
        Confidence level of the interval.
    """
    pooled = None
    if trials is not None:
        after, before = _pool(new, trials[0]), _pool(base, trials[1])
        pooled = None if after is None or before is None else PooledDifference(after, before)

    def judge(arms: Arms) -> Evidence:
        if pooled is not None:
            return Wider((arms.student(), pooled))
        means = _mean(arms.new), _mean(arms.base)
        return arms.student(SPREAD_FLOOR * max(min(mean, 1 - mean) for mean in means))

    kind = IntervalKind.STUDENT_T if pooled is None else IntervalKind.NEWCOMBE
    found = _contrast(new, base, judge, Scale.DIFFERENCE, kind, confidence)
    return replace(found, additive=found.additive.within(-1.0, 1.0))


def difference_of_counts(new: Values, base: Values, *, confidence: float = CONFIDENCE) -> Contrast:
    """Compare counts: the wider of a t interval and a Poisson interval of the totals."""

    def judge(arms: Arms) -> Evidence:
        after, before = (PooledCount(math.fsum(arm), len(arm)) for arm in (arms.new, arms.base))
        return Wider((arms.student(), PooledDifference(after, before)))

    return _contrast(new, base, judge, Scale.DIFFERENCE, IntervalKind.POISSON, confidence)


def difference(
    new: Values, base: Values, *, floor: float = 0.0, confidence: float = CONFIDENCE
) -> Contrast:
    """Compare numbers of any sign by a t test of their difference.

    Parameters
    ----------
    new, base
        One value or more each.
    floor
        The least standard deviation, in their unit: `DECIBEL_FLOOR` for levels in decibels, which
        are logarithms already.
    confidence
        Confidence level of the interval.
    """

    def judge(arms: Arms) -> Evidence:
        return arms.student(floor)

    return _contrast(new, base, judge, Scale.DIFFERENCE, IntervalKind.STUDENT_T, confidence)


def _contrast(  # noqa: PLR0913, PLR0917  (what all of the above have in common)
    new: Values,
    base: Values,
    judge: _Judge,
    scale: Scale,
    kind: IntervalKind,
    confidence: float,
) -> Contrast:
    arms = Arms.of(new, base)
    evidence = None if arms.repetitions == 1 else arms.parted or judge(arms)
    return Contrast(
        scale=scale,
        additive=_interval(arms, evidence, kind, confidence),
        evidence=evidence,
        barred=arms.barred,
        paired=arms.paired,
        identical=arms.identical,
    )


def _interval(
    arms: Arms, evidence: Evidence | None, kind: IntervalKind, confidence: float
) -> Interval:
    middle = arms.difference
    if arms.parted is not None:
        middle = math.inf if arms.parted.side == "above" else -math.inf
    if evidence is None:
        return Interval(middle, middle, middle, IntervalKind.SINGLE, 1)
    low, high = evidence.ends(confidence)
    return Interval(
        mean=middle,
        low=-math.inf if "below" in arms.open_ends and arms.parted is None else low,
        high=math.inf if "above" in arms.open_ends and arms.parted is None else high,
        kind=kind,
        repetitions=arms.repetitions,
    )


def _of_arithmetic_means(arms: Arms) -> Student:
    """Return the t statistic of the log ratio of arithmetic means, by the delta method."""
    (new, log_new), (base, log_base) = (_around_their_mean(logs) for logs in (arms.new, arms.base))
    relative = replace(arms, new=new, base=base).student()
    return replace(relative, mean=log_new - log_base)


def _around_their_mean(logs: tuple[float, ...]) -> tuple[tuple[float, ...], float]:
    """Return values divided by their mean, and the logarithm of the mean."""
    largest = max(logs)
    values = [math.exp(log - largest) for log in logs]
    mean = _mean(values)
    return tuple(value / mean for value in values), largest + math.log(mean)


def _pool(shares: Values, trials: Values) -> PooledShare | None:
    """Return successes and trials of all runs together; None without a trial."""
    known = [(share, trials[seed]) for seed, share in shares.items() if math.isfinite(share)]
    all_trials = math.fsum(count for _, count in known)
    successes = math.fsum(share * count for share, count in known)
    return PooledShare(min(successes, all_trials), all_trials) if all_trials else None


def _in_logarithms(values: Values) -> Mapping[int, float]:
    return {seed: math.log(value) if value > 0 else -math.inf for seed, value in values.items()}


def _mean(values: tuple[float, ...] | list[float]) -> float:
    return math.fsum(values) / len(values)

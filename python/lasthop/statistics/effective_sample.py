"""Effective sample size of shares whose trials are correlated.

Messages of one device and of one run have a common fate: an outage takes several of them. So the
variance of a share is estimated between clusters (devices of a run, and runs), and the number of
trials is divided by the design effect, that is by how much larger this variance is than that of
independent trials (Kish 1965, Survey Sampling; Korn and Graubard 1998, Surv. Methodol. 24:193).
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from lasthop.statistics.evidence import Evidence, Student, Wider
from lasthop.statistics.intervals import (
    CONFIDENCE,
    FEWEST_FOR_T,
    Interval,
    IntervalKind,
    interval,
)
from lasthop.statistics.pooled import PooledShare
from lasthop.statistics.student_t import t_quantile

_FEWEST_CLUSTERS = 2


def part_that_counts(*, share: float, clusters: int, variance: float, independent: float) -> float:
    """Return the effective share of trials (1 / design effect) from the spread of clusters.

    A variance that few clusters show may be too small by chance, which Student's t allows for.
    Where all trials end alike, clusters show nothing, and every trial counts.

    Parameters
    ----------
    share
        Share of successful trials.
    clusters
        Number of clusters.
    variance
        Variance of the share, estimated between clusters.
    independent
        Variance of the share if all trials were independent.

    Examples
    --------
    >>> part_that_counts(share=0.9, clusters=10_000, variance=4e-4, independent=1e-4)
    0.2499
    """
    if clusters < _FEWEST_CLUSTERS or not 0 < share < 1 or variance <= independent:
        return 1.0
    reach = t_quantile(clusters - 1, CONFIDENCE)
    normal = -NormalDist().inv_cdf((1 - CONFIDENCE) / 2)
    return round(independent / variance * (normal / reach) ** 2, 4)


def share_evidence(values: Sequence[float], trials: Sequence[float]) -> Evidence:
    """Return the evidence on a share, from the value and the trials of each run.

    Wilson's interval of all trials, as many as count with runs as clusters; from five runs on
    Student's t where that is wider.
    """
    pooled = _pooled(values, trials)
    if len(values) < FEWEST_FOR_T:
        return pooled
    return Wider((Student.of(values), pooled))


def share_interval(values: Sequence[float], trials: Sequence[float] | None) -> Interval:
    """Return the mean share of runs with an interval, which has a width at 0 and 1 too.

    One run has no interval. Without trials the interval is that of any number.

    Examples
    --------
    >>> found = share_interval([1.0] * 5, [200] * 5)
    >>> found.mean, round(found.low, 4), found.high
    (1.0, 0.9962, 1.0)
    """
    alone = interval(values)
    if trials is None or len(values) == 1 or alone.unreached or not any(trials):
        return alone
    low, high = share_evidence(values, trials).ends(CONFIDENCE)
    return Interval(
        alone.mean,
        max(0.0, min(low, alone.mean)),
        min(1.0, max(high, alone.mean)),
        IntervalKind.SHARE,
        len(values),
    )


def _pooled(values: Sequence[float], trials: Sequence[float]) -> PooledShare:
    runs = list(zip(values, trials, strict=True))
    total = math.fsum(trials)
    share = min(1.0, math.fsum(value * count for value, count in runs) / total)
    independent = share * (1 - share) / total
    if len(runs) < _FEWEST_CLUSTERS or not independent:
        return PooledShare(share * total, total)
    apart = math.fsum((count * (value - share)) ** 2 for value, count in runs)
    variance = len(runs) / (len(runs) - 1) * apart / total**2
    counting = total * min(1.0, independent / variance) if variance else total
    return PooledShare(share * counting, counting)

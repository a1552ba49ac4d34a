"""Differences between two arms, paired by the seeds that both have."""

import math
from collections.abc import Mapping

from lasthop.statistics.bootstrap import DEFAULT_SEED, bootstrap_interval
from lasthop.statistics.intervals import CONFIDENCE, Interval


def paired_difference(
    values: Mapping[int, float],
    baseline: Mapping[int, float],
    *,
    seed: int = DEFAULT_SEED,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """Find the bootstrap interval of ``values - baseline``, paired by seed.

    A pair in which both are infinite says nothing and is left out. Without a pair there is no
    interval, and None is returned.
    """
    differences = [
        values[pair] - baseline[pair]
        for pair in sorted(values.keys() & baseline.keys())
        if not (math.isinf(values[pair]) and math.isinf(baseline[pair]))
    ]
    return (
        bootstrap_interval(differences, seed=seed, confidence=confidence) if differences else None
    )

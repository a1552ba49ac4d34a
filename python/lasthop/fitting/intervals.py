"""Confidence intervals of shares and medians, without assumptions on the distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Ranged:
    """An estimate with its 95 % interval and sample size."""

    value: float
    low: float
    high: float
    samples: int


def share(successes: int, trials: int) -> Ranged:
    """Return a share with its Wilson (1927) interval.

    Examples
    --------
    >>> found = share(5, 100)
    >>> round(found.low, 3), round(found.high, 3)
    (0.022, 0.112)
    """
    if trials == 0:
        return Ranged(0.0, 0.0, 1.0, 0)
    found, squared = successes / trials, _NORMAL_95**2
    middle = found + squared / (2 * trials)
    half = _NORMAL_95 * math.sqrt(found * (1 - found) / trials + squared / (4 * trials**2))
    scale = 1 + squared / trials
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == trials else (middle + half) / scale
    return Ranged(found, low, high, trials)


def median(values: Sequence[float]) -> Ranged:
    """Return a median with its order-statistics interval. With few values this is their range.

    Examples
    --------
    >>> median([1.0, 2.0, 3.0])
    Ranged(value=2.0, low=1.0, high=3.0, samples=3)
    """
    ordered = sorted(values)
    count = len(ordered)
    half = _NORMAL_95 * math.sqrt(count) / 2
    low = max(0, math.floor(count / 2 - half))
    high = min(count - 1, math.ceil(count / 2 + half))
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    return Ranged(middle, ordered[low], ordered[high], count)

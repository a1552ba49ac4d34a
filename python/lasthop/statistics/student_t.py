"""Student's t distribution without scipy, which takes long to import."""

import math
from functools import lru_cache
from statistics import NormalDist


@lru_cache(maxsize=1024)
def t_quantile(freedom: float, confidence: float) -> float:
    """Return the half-width of a t interval in standard errors."""
    tail = (1 - confidence) / 2
    if tail <= 0:
        return math.inf
    # The tail is convex, and the normal quantile lies short of the one that is sought: so do all
    # of Newton's steps from there, until rounding hides the rest.
    reach = -NormalDist().inv_cdf(tail)
    while True:
        step = (t_tail(reach, freedom) - tail) / _density(reach, freedom)
        reach += step
        if step <= _ROUNDING * reach:
            return reach


def t_tail(statistic: float, freedom: float) -> float:
    """Return the probability that Student's t exceeds a statistic.

    Half the incomplete beta function at freedom / (freedom + statistic^2) (DLMF 8.17).
    """
    if statistic < 0:
        return 1 - t_tail(-statistic, freedom)
    ratio = statistic * statistic / freedom
    if math.isinf(ratio):
        return 0.0
    front = statistic * _density(statistic, freedom)
    inside, outside = ratio / (1 + ratio), 1 / (1 + ratio)
    # The fraction converges fast below the mean of the beta distribution; above it, the other one.
    if inside * (freedom + 5) / 3 < 1:
        return 0.5 - front * _beta_fraction(inside, 0.5, freedom / 2)
    return front * _beta_fraction(outside, freedom / 2, 0.5) / freedom


def _density(statistic: float, freedom: float) -> float:
    power = (freedom + 1) / 2 * math.log1p(statistic * statistic / freedom)
    return math.exp(_log_gamma_step(freedom / 2) - power) / math.sqrt(math.pi * freedom)


def _log_gamma_step(z: float) -> float:
    """Return the logarithm of Γ(z + 1/2) / Γ(z)."""
    if z < _LARGE:
        return math.lgamma(z + 0.5) - math.lgamma(z)
    # Here the difference would lose digits (DLMF 5.11.13).
    return math.log(z) / 2 - 1 / (8 * z) + 1 / (192 * z**3) - 1 / (640 * z**5)


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of I_x(a, b) (DLMF 8.17.22)."""
    upper, lower = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    fraction = lower
    for term in range(1, _MOST_TERMS):
        even = term * (b - term) * x / ((a + 2 * term - 1) * (a + 2 * term))
        odd = -(a + term) * (a + b + term) * x / ((a + 2 * term) * (a + 2 * term + 1))
        for coefficient in (even, odd):
            upper = _not_zero(1 + coefficient / upper)
            lower = 1 / _not_zero(1 + coefficient * lower)
            fraction *= upper * lower
        if abs(upper * lower - 1) < _ROUNDING:
            break
    return fraction


def _not_zero(value: float) -> float:
    return value or _TINY


_ROUNDING = 1e-15
_TINY = 1e-300
_LARGE = 100
_MOST_TERMS = 100_000

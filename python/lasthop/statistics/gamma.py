"""Quantiles of the gamma distribution, for intervals of Poisson counts."""

import math
from functools import lru_cache
from statistics import NormalDist


@lru_cache(maxsize=1024)
def gamma_quantile(shape: float, probability: float) -> float:
    """Return the quantile of a gamma distribution with scale 1 (inverse of P, DLMF 8.2.4).

    Newton's steps start at Wilson and Hilferty's cube (1931, PNAS 17:684). A step that leaves the
    bracket of the root is replaced by a bisection.

    Parameters
    ----------
    shape
        Shape of the distribution, above 0.
    probability
        Probability from 0 to 1.
    """
    if probability <= 0:
        return 0.0
    if probability >= 1:
        return math.inf
    spread = 1 / (9 * shape)
    cube = 1 - spread + NormalDist().inv_cdf(probability) * math.sqrt(spread)
    low, high = 0.0, math.inf
    value = shape * cube**3 if cube > 0 else shape * probability ** (1 / shape)
    for _ in range(_MOST_STEPS):
        # The smaller of both tails keeps its digits.
        below, above = gamma_tails(shape, value)
        excess = below - probability if below < above else (1 - probability) - above
        if excess > 0:
            high = value
        else:
            low = value
        density = math.exp(_log_front(shape, value)) / value
        stepped = value - excess / density if density else math.nan
        if not low <= stepped <= high:
            stepped = 2 * value if math.isinf(high) else (low + high) / 2
        if abs(stepped - value) <= _ROUNDING * value:
            return stepped
        value = stepped
    return value


def gamma_tails(shape: float, value: float) -> tuple[float, float]:
    """Return the probabilities that a gamma variable is below and above a value."""
    if value <= 0:
        return 0.0, 1.0
    front = math.exp(_log_front(shape, value))
    if value < shape + 1:
        below = front * _series(shape, value)
        return below, 1 - below
    above = front * _fraction(shape, value)
    return 1 - above, above


def _log_front(shape: float, value: float) -> float:
    """Return the logarithm of value^shape e^-value / Γ(shape)."""
    if shape < _LARGE:
        return shape * math.log(value) - value - math.lgamma(shape)
    # Here the difference would lose digits: Stirling's series (DLMF 5.11.1).
    apart = (value - shape) / shape
    stirling = 1 / (12 * shape) - 1 / (360 * shape**3) + 1 / (1260 * shape**5)
    ratio = math.log1p(apart) - apart
    return shape * ratio + math.log(shape / (2 * math.pi)) / 2 - stirling


def _series(shape: float, value: float) -> float:
    """Return the sum of the power series DLMF 8.11.4, without the factor `_log_front`."""
    term = total = 1 / shape
    for number in range(1, _MOST_TERMS):
        term *= value / (shape + number)
        total += term
        if term < total * _ROUNDING:
            break
    return total


def _fraction(shape: float, value: float) -> float:
    """Return the continued fraction DLMF 8.9.2, without the factor `_log_front`."""
    base = value + 1 - shape
    upper, lower = 1 / _TINY, 1 / base
    fraction = lower
    for number in range(1, _MOST_TERMS):
        coefficient = -number * (number - shape)
        base += 2
        lower = 1 / (coefficient * lower + base or _TINY)
        upper = base + coefficient / upper or _TINY
        fraction *= upper * lower
        if abs(upper * lower - 1) < _ROUNDING:
            break
    return fraction


_ROUNDING = 1e-15
_TINY = 1e-300
_LARGE = 100
_MOST_STEPS = 200
_MOST_TERMS = 1_000_000

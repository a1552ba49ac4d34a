"""Laws that repetitions of two arms may follow, with a mean of one, drawn in pairs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri  # type: ignore[import-untyped]

Array = np.ndarray
Quantiles = Callable[[Array], Array]
"""From normal scores to values."""


@dataclass(frozen=True, slots=True)
class Law:
    """One law.

    Parameters
    ----------
    name : str
        For people.
    quantiles : callable
        Gives values for normal scores.
    """

    name: str
    quantiles: Quantiles


def normal(deviation: float) -> Law:
    """Scatter around one; what would be below a hundredth is a hundredth."""
    return Law(f"normal {deviation:.0%}", lambda scores: np.maximum(1 + deviation * scores, 0.01))


def log_normal(sigma: float) -> Law:
    """Scatter by factors."""
    return Law(f"log-normal {sigma}", lambda scores: np.exp(sigma * scores - sigma**2 / 2))


def exponential() -> Law:
    """Scatter as waiting times do."""
    return Law("exponential", lambda scores: -np.log(ndtr(-scores)))


def bimodal(share: float) -> Law:
    """Scatter by 10 %, and be 5 to 20 times as large in a share of the runs, as with a back-off."""

    def quantiles(scores: Array) -> Array:
        below = ndtr(scores)
        large = below > 1 - share
        spread = np.exp(0.1 * ndtri(np.clip(below / (1 - share), _LEAST, 1 - _LEAST)))
        within = np.where(large, (below - (1 - share)) / share, 0.0)
        mean = (1 - share) * math.exp(0.1**2 / 2) + share * 15 / math.log(4)
        return np.where(large, 5 * 4**within, spread) / mean

    return Law(f"back-off in {share:.0%}", quantiles)


_LEAST = 1e-12

REGULAR = (
    *map(normal, (0.02, 0.05, 0.1, 0.2, 0.3)),
    *map(log_normal, (0.1, 0.2, 0.5, 1.0)),
    exponential(),
)
BIMODAL = tuple(map(bimodal, (0.1, 0.2, 0.3)))
CORRELATIONS = (0.0, 0.5, 0.95)


def pairs(
    laws: tuple[Law, Law],
    *,
    repetitions: int,
    samples: int,
    correlation: float,
    draw: np.random.Generator,
) -> tuple[Array, Array]:
    """Draw samples of both arms, a row each, by a Gaussian copula."""
    first, other = draw.standard_normal((2, samples, repetitions))
    second = correlation * first + math.sqrt(1 - correlation**2) * other
    return laws[0].quantiles(first), laws[1].quantiles(second)

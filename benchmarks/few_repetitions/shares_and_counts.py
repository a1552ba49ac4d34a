"""How often intervals of shares and counts cover the true difference."""

from collections.abc import Callable

import numpy as np
from benchmarks.few_repetitions.laws import Array

from lasthop.statistics.contrasts import difference, difference_of_counts, difference_of_shares

Counts = Callable[[np.random.Generator, int, tuple[int, int]], Array]
"""Draws what is delivered of some messages, for samples of repetitions."""


def binomial(share: float) -> Counts:
    """Every message fares by itself."""
    return lambda draw, messages, shape: draw.binomial(messages, share, shape)


def beta_binomial(share: float, correlation: float) -> Counts:
    """Messages of one run fare alike."""
    both = 1 / correlation - 1

    def draw_counts(draw: np.random.Generator, messages: int, shape: tuple[int, int]) -> Array:
        return draw.binomial(messages, draw.beta(both * share, both * (1 - share), shape))

    return draw_counts


def outage(share: float) -> Counts:
    """Lose a block of messages in a tenth of the runs, and none in the others."""

    def draw_counts(draw: np.random.Generator, messages: int, shape: tuple[int, int]) -> Array:
        lost = draw.random(shape) < 0.1  # noqa: PLR2004
        return np.where(lost, round(messages * (1 - 10 * (1 - share))), messages)

    return draw_counts


EQUAL_SHARES = {
    "binomial 0.99": binomial(0.99),
    "binomial 0.999": binomial(0.999),
    "within runs 0.02": beta_binomial(0.99, 0.02),
    "within runs 0.1": beta_binomial(0.99, 0.1),
    "outage": outage(0.99),
}


def covers_shares(  # noqa: PLR0913  (each is a keyword)
    arms: tuple[Counts, Counts],
    truth: float,
    *,
    messages: int,
    repetitions: int,
    samples: int,
    seed: int,
) -> tuple[float, float]:
    """Give how often the wider interval, and t alone, cover the difference of two shares."""
    draw = np.random.default_rng(seed)
    trials = dict.fromkeys(range(repetitions), float(messages))
    drawn = [counts(draw, messages, (samples, repetitions)) / messages for counts in arms]
    wide = alone = 0
    for after, before in zip(*drawn, strict=True):
        new, base = dict(enumerate(after.tolist())), dict(enumerate(before.tolist()))
        both = difference_of_shares(new, base, trials=(trials, trials)), difference(new, base)
        wide, alone = (
            covered + (one.interval.low <= truth <= one.interval.high)
            for covered, one in zip((wide, alone), both, strict=True)
        )
    return wide / samples, alone / samples


def covers_counts(
    counts: Callable[[np.random.Generator, tuple[int, int]], Array],
    truth: float,
    *,
    repetitions: int,
    samples: int,
    seed: int,
) -> tuple[float, float]:
    """Give how often the wider interval, and t alone, cover a count less none."""
    draw = np.random.default_rng(seed)
    base = dict.fromkeys(range(repetitions), 0.0)
    wide = alone = 0
    for row in counts(draw, (samples, repetitions)):
        new = dict(enumerate(row.astype(float).tolist()))
        both = difference_of_counts(new, base), difference(new, base)
        wide, alone = (
            covered + (one.interval.low <= truth <= one.interval.high)
            for covered, one in zip((wide, alone), both, strict=True)
        )
    return wide / samples, alone / samples

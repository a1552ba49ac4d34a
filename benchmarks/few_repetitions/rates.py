"""Shares of samples in which a comparison says something."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
from benchmarks.few_repetitions.laws import Array, Law, pairs

from lasthop.statistics.contrast import Contrast
from lasthop.statistics.contrasts import ratio
from lasthop.statistics.evidence import Side

EFFECT = 0.05
ALPHA = 0.05
SIDES: tuple[Side, ...] = ("above", "below")

Lead = Literal["above", "below"] | None


def leads(  # noqa: PLR0913  (each is a keyword)
    laws: tuple[Law, Law],
    *,
    times: float,
    repetitions: int,
    samples: int,
    correlation: float,
    seed: int,
) -> dict[Lead, float]:
    """Give how often the second arm, its values ``times`` as large, is said to lie on each side."""
    draw = np.random.default_rng(seed)
    base, new = pairs(
        laws, repetitions=repetitions, samples=samples, correlation=correlation, draw=draw
    )
    return shares(
        said(ratio(row(after), row(before)))
        for after, before in zip(times * new, base, strict=True)
    )


def row(values: Array) -> dict[int, float]:
    """Give a sample by the numbers of its repetitions."""
    return dict(enumerate(values.tolist()))


def said(found: Contrast, *, alpha: float = ALPHA) -> Lead:
    """Say on which side of the base the new arm is shown to lie, as the ranking does."""
    return next((side for side in SIDES if found.p_value(EFFECT, side) <= alpha), None)


def shares(all_said: Iterable[Lead]) -> dict[Lead, float]:
    """Count what was said."""
    words = list(all_said)
    return {word: words.count(word) / len(words) for word in ("above", "below", None)}

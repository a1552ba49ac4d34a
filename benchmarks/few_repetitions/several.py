"""Several arms, several points, several looks, and runs without a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from benchmarks.few_repetitions.laws import Array, Law, pairs
from benchmarks.few_repetitions.rates import ALPHA, EFFECT, SIDES, Lead, row, said, shares

from lasthop.statistics.contrasts import ratio
from lasthop.statistics.corrections import hochberg, holm
from lasthop.statistics.looks import confidence_at_a_look


@dataclass(frozen=True, slots=True)
class AmongArms:
    """How often, among several arms, the best one leads some of them and all of them."""

    some_pair: float
    all_pairs: float


def among_arms(
    law: Law, sizes: Sequence[float], *, repetitions: int, samples: int, seed: int
) -> AmongArms:
    """Pick the leader of several arms and hold each of the others against it, after Hochberg."""
    draw = np.random.default_rng(seed)
    scores = draw.standard_normal((samples, len(sizes), repetitions))
    values = law.quantiles(scores) * np.array(sizes)[:, None]
    some = everywhere = 0
    for sample in values:
        leader, *others = sample[np.log(sample).mean(axis=1).argsort()]
        apart = [p <= ALPHA for p in hochberg([_p_worse(other, leader) for other in others])]
        some += any(apart)
        everywhere += all(apart)
    return AmongArms(some / samples, everywhere / samples)


@dataclass(frozen=True, slots=True)
class AlongSweep:
    """How often two arms are told apart somewhere along a sweep.

    Parameters
    ----------
    uncorrected, lead : float
        Some point has a lead, before and after Holm over the points.
    flip : float
        One arm leads at a point and the other at a later one, without a correction.
    """

    uncorrected: float
    lead: float
    flip: float


def along_sweep(
    law: Law, times: Sequence[float], *, repetitions: int, samples: int, seed: int
) -> AlongSweep:
    """Compare two arms at several points; at each the second is some times as large."""
    draw = np.random.default_rng(seed)
    base, new = law.quantiles(draw.standard_normal((2, samples, len(times), repetitions)))
    counts = {"plain": 0, "lead": 0, "flip": 0}
    for before, after in zip(base, new * np.array(times)[:, None], strict=True):
        found = [ratio(row(one), row(other)) for one, other in zip(after, before, strict=True)]
        leaders = [said(one) for one in found]
        p_values = [min(one.p_value(EFFECT, side) for side in SIDES) for one in found]
        leading = [leader for leader in leaders if leader is not None]
        counts["plain"] += bool(leading)
        counts["lead"] += min(holm(p_values)) <= ALPHA
        counts["flip"] += any(one != other for one, other in pairwise(leading))
    return AlongSweep(*(count / samples for count in counts.values()))


@dataclass(frozen=True, slots=True)
class WithLooks:
    """How looks at more and more repetitions end.

    Parameters
    ----------
    decided : float
        The share of samples in which some look finds a lead.
    repetitions : float
        The mean number of repetitions at the end.
    """

    decided: float
    repetitions: float


def with_looks(  # noqa: PLR0913  (each is a keyword)
    law: Law,
    times: float,
    looks: Sequence[int],
    *,
    samples: int,
    seed: int,
    split: bool = True,
) -> WithLooks:
    """Look again and again until one arm leads."""
    draw = np.random.default_rng(seed)
    alpha = 1 - confidence_at_a_look(len(looks)) if split else ALPHA
    base, new = pairs(
        (law, law), repetitions=looks[-1], samples=samples, correlation=0.0, draw=draw
    )
    ends = []
    for before, after in zip(base, new * times, strict=True):
        seen = (
            look
            for look in looks
            if said(ratio(row(after[:look]), row(before[:look])), alpha=alpha) is not None
        )
        ends.append(next(seen, None))
    decided = [end for end in ends if end is not None]
    taken = [looks[-1] if end is None else end for end in ends]
    return WithLooks(len(decided) / samples, float(np.mean(taken)))


def on_a_grid(  # noqa: PLR0913  (each is a keyword)
    law: Law, times: float, step: float, *, repetitions: int, samples: int, seed: int
) -> dict[Lead, float]:
    """Compare values that are rounded to a grid of equal factors."""
    draw = np.random.default_rng(seed)
    base, new = pairs(
        (law, law), repetitions=repetitions, samples=samples, correlation=0.0, draw=draw
    )

    def rounded(values: Array) -> Array:
        return np.asarray((1 + step) ** np.round(np.log(values) / np.log1p(step)))

    arms = zip(rounded(new * times), rounded(base), strict=True)
    return shares(said(ratio(row(after), row(before))) for after, before in arms)


def with_unreached(  # noqa: PLR0913  (each is a keyword)
    law: Law,
    times: float,
    unreached: tuple[float, float],
    *,
    repetitions: int,
    samples: int,
    seed: int,
) -> dict[Lead, float]:
    """Compare arms of which a share of the runs has no value: first of the base, then the new."""
    draw = np.random.default_rng(seed)
    arms = pairs((law, law), repetitions=repetitions, samples=samples, correlation=0.0, draw=draw)
    base, new = (
        np.where(draw.random(values.shape) < share, np.inf, values)
        for values, share in zip(arms, unreached, strict=True)
    )
    return shares(
        said(ratio(row(after), row(before)))
        for after, before in zip(new * times, base, strict=True)
    )


def _p_worse(values: Array, leader: Array) -> float:
    found = ratio(row(values), row(leader))
    return found.p_value(EFFECT, "above")

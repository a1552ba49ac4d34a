"""The smallest change that a comparison can find, foreseen from the base alone."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lasthop.answer.arms import AnswerArm
from lasthop.answer.samples import Sample
from lasthop.compare.pairing import Key
from lasthop.compare.watched import Watched
from lasthop.statistics.contrast import Scale
from lasthop.statistics.intervals import CONFIDENCE

POWER = 0.8
"""In which share of comparisons a change of the foreseen size is found."""


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest change of one measure of one arm that repetitions like its own can show.

    Parameters
    ----------
    change : float or None
        A share of an amount, else in the unit of the measure; None where nothing can be foreseen:
        a single run, a run without a value.
    repetitions : int
        Of the base; the new folder is taken to have as many.
    """

    key: Key
    measure: Watched
    change: float | None
    repetitions: int


def detectable_changes(
    arms: Mapping[Key, AnswerArm], compared: Sequence[Watched]
) -> tuple[Detectable, ...]:
    """Foresee for each arm of a base, and each measure of it, which change can be found.

    Verdicts are corrected for as many tests as there are arms and measures (Bonferroni, which is
    what Holm begins with).
    """
    samples = [
        (key, measure, sample)
        for key, arm in arms.items()
        for measure in compared
        if (sample := Sample.of(arm, measure.column, worst=measure.worst)).values
    ]
    return tuple(
        Detectable(
            key,
            measure,
            smallest_found(sample, measure.smallest_effect, tests=len(samples)),
            len(sample.values),
        )
        for key, measure, sample in samples
    )


def smallest_found(base: Sample, smallest_effect: float, *, tests: int = 1) -> float | None:
    """Predict the change that a comparison with as many equally spread runs detects.

    It lies beyond the smallest effect by the half-width of the interval at the corrected level and
    by that of the power (Cohen, Statistical Power Analysis, 1988, 2.4). Runs of two folders are
    taken to be independent; where they are paired by seed, smaller changes are found.

    Parameters
    ----------
    base
        A value for each run.
    smallest_effect
        As of a comparison.
    tests
        How many quantities are compared together.
    """
    if not all(map(math.isfinite, base.values.values())):
        return None
    contrast = _beside(base).against(base)
    if contrast.evidence is None:
        return None
    reach = 0.0
    for confidence in (1 - (1 - CONFIDENCE) / tests, 2 * POWER - 1):
        low, high = contrast.evidence.ends(confidence)
        reach += (high - low) / 2
    reach *= 1 + _FOR_AN_UNSURE_SPREAD / (len(base.values) - 1)
    additive = contrast.bound(base.effect(smallest_effect)) + reach
    if contrast.scale is not Scale.RATIO:
        return additive
    return math.expm1(additive) if additive < _LARGEST_LOGARITHM else None


def largest(found: Iterable[Detectable]) -> list[Detectable]:
    """Give for each measure the arm with the least power. One without a prediction comes first."""
    worst: dict[str, Detectable] = {}
    for one in found:
        other = worst.setdefault(one.measure.column.name, one)
        if _size(one) > _size(other):
            worst[one.measure.column.name] = one
    return list(worst.values())


def _size(found: Detectable) -> float:
    return math.inf if found.change is None else found.change


def _beside(base: Sample) -> Sample:
    """Give the same values under other seeds, so that nothing is paired."""
    apart = max(base.values) + 1

    def moved(values: Mapping[int, float]) -> dict[int, float]:
        return {seed + apart: value for seed, value in values.items()}

    trials = None if base.trials is None else moved(base.trials)
    return replace(base, values=moved(base.values), trials=trials)


_FOR_AN_UNSURE_SPREAD = 0.7
"""Few runs tell their spread badly: where it comes out too small, less is found than was foreseen.

By this factor the power is right on average over bases, 75 % from three runs and 80 % from five on;
`tests/python/compare/test_power.py` draws them."""

_LARGEST_LOGARITHM = math.log(1_000)
"""A change of a thousand times is none that anybody looks for."""

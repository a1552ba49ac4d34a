"""The smallest change that a comparison can find, foreseen from the base alone."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from lasthop.answer.arms import AnswerArm
from lasthop.answer.samples import Sample
from lasthop.compare.pairing import Key
from lasthop.compare.watched import Watched
from lasthop.statistics.contrast import Contrast, Scale
from lasthop.statistics.intervals import CONFIDENCE
from lasthop.statistics.planning import MOST_RUNS
from lasthop.statistics.student_t import t_quantile

FEWEST_RUNS = 2
"""With a single run nothing is compared."""

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
    samples = _samples(arms, compared)
    return tuple(
        Detectable(
            key,
            measure,
            smallest_found(sample, measure.smallest_effect, tests=len(samples)),
            len(sample.values),
        )
        for key, measure, sample in samples
    )


@dataclass(frozen=True, slots=True)
class Planned:
    """How many repetitions show a change of one measure of one arm.

    Parameters
    ----------
    needed : int or None
        Of each of both sides; None where no number can be foreseen: a single run, a run without a
        value, more than `MOST_RUNS`, or a change that does not matter.
    repetitions : int
        Of the arm, from which it is foreseen.
    """

    key: Key
    measure: Watched
    needed: int | None
    repetitions: int


def planned_repetitions(
    arms: Mapping[Key, AnswerArm], compared: Sequence[Watched], change: float
) -> tuple[Planned, ...]:
    """Foresee for each arm, and each measure of it, the repetitions that show a change.

    It is corrected for as many tests as `detectable_changes` corrects for.
    """
    samples = _samples(arms, compared)
    return tuple(
        Planned(
            key,
            measure,
            repetitions_for(sample, change, measure.smallest_effect, tests=len(samples)),
            len(sample.values),
        )
        for key, measure, sample in samples
    )


def repetitions_for(
    base: Sample, change: float, smallest_effect: float, *, tests: int = 1
) -> int | None:
    """Predict how many repetitions of both sides show a change, with the chance of `POWER`.

    The spread of the base stands for that of the repetitions to come. `smallest_found` says the
    other way round which change a number of repetitions shows.

    Parameters
    ----------
    change
        A share of an amount; of a share points.
    """
    reach = _Reach.of(base, tests=tests)
    if reach is None:
        return None
    distance = reach.contrast.bound(base.effect(change)) - reach.contrast.bound(
        base.effect(smallest_effect)
    )
    if distance <= 0 or reach.with_runs(MOST_RUNS) > distance:
        return None
    fewest, most = FEWEST_RUNS, MOST_RUNS
    while fewest < most:
        middle = (fewest + most) // 2
        if reach.with_runs(middle) <= distance:
            most = middle
        else:
            fewest = middle + 1
    return fewest


def smallest_found(base: Sample, smallest_effect: float, *, tests: int = 1) -> float | None:
    """Predict the smallest change that is detected with as many runs and the same variance.

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
    reach = _Reach.of(base, tests=tests)
    if reach is None:
        return None
    additive = reach.contrast.bound(base.effect(smallest_effect)) + sum(reach.halves.values())
    if reach.contrast.scale is not Scale.RATIO:
        return additive
    return math.expm1(additive) if additive < _LARGEST_LOGARITHM else None


@dataclass(frozen=True, slots=True)
class _Reach:
    """How far beyond the smallest effect a change must lie, on the scale of the contrast.

    Parameters
    ----------
    halves : mapping of float to float
        The half-widths of the intervals of the corrected level and of the power, by their
        confidence.
    """

    contrast: Contrast
    halves: Mapping[float, float]
    runs: int

    @classmethod
    def of(cls, base: Sample, *, tests: int) -> Self | None:
        """Read it off a base; None of a single run, or where a run has no value."""
        if not all(map(math.isfinite, base.values.values())):
            return None
        contrast = _beside(base).against(base)
        if contrast.evidence is None:
            return None
        runs = len(base.values)
        unsure = 1 + _FOR_AN_UNSURE_SPREAD / (runs - 1)
        halves: dict[float, float] = {}
        for confidence in (1 - (1 - CONFIDENCE) / tests, 2 * POWER - 1):
            low, high = contrast.evidence.ends(confidence)
            halves[confidence] = unsure * (high - low) / 2
        return cls(contrast, halves, runs)

    def with_runs(self, runs: int) -> float:
        """Give it for another number of runs of both sides, as Student's intervals narrow."""
        return math.sqrt(self.runs / runs) * sum(
            half
            * t_quantile(2 * (runs - 1), confidence)
            / t_quantile(2 * (self.runs - 1), confidence)
            for confidence, half in self.halves.items()
        )


def largest(found: Iterable[Detectable]) -> list[Detectable]:
    """Give for each measure the arm with the least power. One without a prediction comes first."""
    worst: dict[str, Detectable] = {}
    for one in found:
        other = worst.setdefault(one.measure.column.name, one)
        if _size(one) > _size(other):
            worst[one.measure.column.name] = one
    return list(worst.values())


def _samples(
    arms: Mapping[Key, AnswerArm], compared: Sequence[Watched]
) -> list[tuple[Key, Watched, Sample]]:
    return [
        (key, measure, sample)
        for key, arm in arms.items()
        for measure in compared
        if (sample := Sample.of(arm, measure.column, worst=measure.worst)).values
    ]


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

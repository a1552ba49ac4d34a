"""The change that a comparison is said to find is found as often as is said."""

import math
import random

import pytest

from lasthop.answer.samples import Sample
from lasthop.compare.effect import EffectVerdict, effect
from lasthop.compare.power import POWER, repetitions_for, smallest_found
from lasthop.measures import column_of

TRIALS = 400
CHANGED = {EffectVerdict.WORSE, EffectVerdict.BETTER}


def found(column: str, base: list[float], new: list[float], smallest: float) -> bool:
    measure = column_of(column)
    before = Sample(measure, dict(enumerate(base)))
    after = Sample(measure, dict(enumerate(new, start=1_000)))
    said = effect(before, after, more_is_better=False, smallest_effect=smallest)
    return said.verdict in CHANGED


@pytest.mark.parametrize("runs", [3, 5, 20])
@pytest.mark.parametrize(("share", "least", "most"), [(1.0, 0.68, 0.88), (0.25, 0.0, 0.2)])
def test_a_change_of_the_foreseen_size_is_found_as_often_as_is_said(
    runs: int, share: float, least: float, most: float
) -> None:
    draw = random.Random(7)  # noqa: S311
    hits = 0
    for _ in range(TRIALS):
        base, new = ([100 * math.exp(draw.gauss(0, 0.1)) for _ in range(runs)] for _ in range(2))
        change = smallest_found(Sample(column_of("latency_p50_ms"), dict(enumerate(base))), 0.05)
        assert change is not None
        shifted = [value * (1 + share * change) for value in new]
        hits += found("latency_p50_ms", base, shifted, 0.05)
    assert least < hits / TRIALS < most
    assert least < POWER or share < 1


def test_more_tests_and_fewer_runs_find_larger_changes_alone() -> None:
    values = [100.0, 110.0, 90.0, 105.0, 95.0, 102.0, 98.0, 101.0]
    measure = column_of("latency_p50_ms")

    def smallest(runs: int, tests: int) -> float:
        change = smallest_found(Sample(measure, dict(enumerate(values[:runs]))), 0.05, tests=tests)
        assert change is not None
        return change

    assert 0.05 < smallest(8, 1) < smallest(8, 30) < smallest(3, 30)


@pytest.mark.parametrize("values", [[1.0], [1.0, math.inf], [math.inf, math.inf]])
def test_nothing_is_foreseen_from_a_single_run_or_without_a_value(values: list[float]) -> None:
    sample = Sample(column_of("latency_p50_ms"), dict(enumerate(values)))
    assert smallest_found(sample, 0.05) is None


def test_as_many_repetitions_as_are_planned_find_the_change_as_often_as_is_said() -> None:
    draw = random.Random(11)  # noqa: S311
    measure = column_of("latency_p50_ms")

    def runs(count: int, shift: float = 1.0) -> list[float]:
        return [100 * shift * math.exp(draw.gauss(0, 0.1)) for _ in range(count)]

    hits = 0
    for _ in range(TRIALS):
        needed = repetitions_for(Sample(measure, dict(enumerate(runs(8)))), 0.2, 0.05)
        assert needed is not None
        hits += found("latency_p50_ms", runs(needed), runs(needed, 1.2), 0.05)
    # A pilot of 8 tells its spread badly: this is the mean over pilots.
    assert 0.72 < hits / TRIALS < 0.92


def test_the_planned_repetitions_are_the_least_that_suffice() -> None:
    measure = column_of("latency_p50_ms")
    base = Sample(measure, dict(enumerate([100.0, 110.0, 90.0, 105.0, 95.0])))
    change = smallest_found(base, 0.05, tests=4)
    assert change is not None
    assert repetitions_for(base, 1.0001 * change, 0.05, tests=4) == 5
    assert repetitions_for(base, 0.999 * change, 0.05, tests=4) == 6


@pytest.mark.parametrize(
    ("values", "change", "needed"),
    [
        ([1.0], 0.2, None),
        ([1.0, math.inf], 0.2, None),
        ([100.0, 110.0, 90.0], 0.05, None),
        ([100.0, 110.0, 90.0], 0.04, None),
        ([100.0, 110.0, 90.0], 0.0500001, None),
        ([100.0, 100.0, 100.0], 0.2, 3),
    ],
)
def test_no_number_is_planned_without_a_spread_or_for_what_does_not_matter(
    values: list[float], change: float, needed: int | None
) -> None:
    sample = Sample(column_of("latency_p50_ms"), dict(enumerate(values)))
    assert repetitions_for(sample, change, 0.05) == needed

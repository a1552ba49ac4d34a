"""What a change of one measure means, by its repetitions."""

import math
from collections.abc import Sequence

import pytest

from lasthop.compare.effect import Effect, Verdict, effect
from lasthop.statistics.intervals import IntervalKind

INFINITE = math.inf


def found(
    base: Sequence[float],
    new: Sequence[float],
    *,
    more_is_better: bool = False,
    same_seeds: bool = True,
) -> Effect:
    """Compare two lists of repetitions with a smallest effect of 5 %."""
    first = 0 if same_seeds else 100
    return effect(
        dict(enumerate(base)),
        dict(enumerate(new, start=first)),
        more_is_better=more_is_better,
        smallest_effect=0.05,
    )


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        ([100, 101, 99, 100, 102], [100, 101, 99, 100, 102], Verdict.SAME),
        ([100, 101, 99, 100, 102], [120, 121, 119, 120, 122], Verdict.WORSE),
        ([100, 101, 99, 100, 102], [80, 81, 79, 80, 82], Verdict.BETTER),
        ([100, 101, 99, 100, 102], [103, 104, 102, 103, 105], Verdict.SAME),
        ([100, 101, 99, 100, 102], [60, 200, 90, 180, 100], Verdict.UNDECIDED),
        ([100, 200, 300, 400, 500], [120, 220, 320, 420, 520], Verdict.WORSE),
        ([100, 101], [120, 119], Verdict.WORSE),
        ([100], [120], Verdict.UNDECIDED),
        ([100], [100], Verdict.SAME),
        ([100] * 5, [INFINITE] * 5, Verdict.WORSE),
        ([INFINITE] * 5, [100] * 5, Verdict.BETTER),
        ([INFINITE] * 5, [INFINITE] * 5, Verdict.SAME),
        ([INFINITE] * 5, [100, 100, 100, INFINITE, INFINITE], Verdict.UNDECIDED),
        ([0.0] * 5, [1.0] * 5, Verdict.WORSE),
        ([0.0] * 5, [0.0] * 5, Verdict.SAME),
    ],
)
def test_a_verdict_follows_from_the_paired_interval_and_the_smallest_effect(
    base: list[float], new: list[float], verdict: Verdict
) -> None:
    assert found(base, new).verdict is verdict


def test_more_of_what_is_wanted_is_better() -> None:
    assert found([0.8] * 5, [0.9] * 5, more_is_better=True).verdict is Verdict.BETTER
    assert found([0.9] * 5, [0.8] * 5, more_is_better=True).verdict is Verdict.WORSE


def test_what_varies_together_is_told_apart_only_in_pairs() -> None:
    base = [100.0, 200.0, 300.0, 400.0, 500.0]
    new = [value + 40 for value in base]
    paired, apart = found(base, new), found(base, new, same_seeds=False)
    assert (paired.paired, apart.paired) == (True, False)
    assert paired.verdict is Verdict.WORSE
    assert apart.verdict is Verdict.UNDECIDED
    assert paired.difference.mean == pytest.approx(apart.difference.mean) == 40


def test_without_pairs_the_interval_is_that_of_welch() -> None:
    # By scipy.stats.ttest_ind(new, base, equal_var=False).confidence_interval(0.95).
    base, new = [20.4, 24.2, 15.4, 21.4, 20.2], [32.2, 17.1, 29.8, 28.4, 26.6, 30.2]
    difference = found(base, new, same_seeds=False).difference
    assert difference.kind is IntervalKind.STUDENT_T
    assert (difference.low, difference.high) == pytest.approx((1.0677778, 13.0588889))


def test_the_standardised_effect_is_the_change_in_pooled_standard_deviations() -> None:
    changed = found([1.0, 2.0, 3.0], [3.0, 4.0, 5.0])
    assert changed.standardised == pytest.approx(2.0)
    assert found([1.0], [2.0]).standardised is None
    assert found([1.0, 1.0], [2.0, 2.0]).standardised == INFINITE


def test_seeds_that_one_side_lacks_are_left_out_of_the_pairs() -> None:
    more = effect(
        {1: 100.0, 2: 200.0, 3: 300.0},
        {1: 110.0, 2: 210.0, 3: 310.0, 4: 9000.0, 5: 9000.0},
        more_is_better=False,
        smallest_effect=0.0,
    )
    assert more.paired
    assert more.difference.mean == pytest.approx(10.0)
    assert more.difference.repetitions == 3

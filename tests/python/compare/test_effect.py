"""What a change of one measure means, by its repetitions."""

import math
from collections.abc import Mapping, Sequence

import pytest

from lasthop.answer.samples import Sample
from lasthop.compare.effect import Effect, EffectVerdict, effect
from lasthop.measures import column_of

INFINITE = math.inf


def sample(values: Mapping[int, float]) -> Sample:
    return Sample(column_of("latency_p50_ms"), values)


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
        sample(dict(enumerate(base))),
        sample(dict(enumerate(new, start=first))),
        more_is_better=more_is_better,
        smallest_effect=0.05,
    )


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        ([100, 101, 99, 100, 102], [100, 101, 99, 100, 102], EffectVerdict.SAME),
        ([100, 101, 99, 100, 102], [120, 121, 119, 120, 122], EffectVerdict.WORSE),
        ([100, 101, 99, 100, 102], [80, 81, 79, 80, 82], EffectVerdict.BETTER),
        ([100, 101, 99, 100, 102], [102, 103, 101, 102, 104], EffectVerdict.SAME),
        ([100, 101, 99, 100, 102], [60, 200, 90, 180, 100], EffectVerdict.UNDECIDED),
        ([100, 200, 300, 400, 500], [120, 240, 360, 480, 600], EffectVerdict.WORSE),
        ([100, 101], [120, 119], EffectVerdict.UNDECIDED),
        ([100, 101], [200, 201], EffectVerdict.WORSE),
        ([100, 101], [100, 101], EffectVerdict.SAME),
        ([100], [120], EffectVerdict.UNDECIDED),
        ([100], [100], EffectVerdict.SAME),
        ([100] * 5, [INFINITE] * 5, EffectVerdict.WORSE),
        ([INFINITE] * 5, [100] * 5, EffectVerdict.BETTER),
        ([INFINITE] * 5, [INFINITE] * 5, EffectVerdict.SAME),
        ([INFINITE] * 5, [100, 100, 100, INFINITE, INFINITE], EffectVerdict.UNDECIDED),
        ([0.0] * 5, [1.0] * 5, EffectVerdict.WORSE),
        ([0.0] * 5, [0.0] * 5, EffectVerdict.SAME),
    ],
)
def test_a_verdict_follows_from_the_paired_interval_and_the_smallest_effect(
    base: list[float], new: list[float], verdict: EffectVerdict
) -> None:
    assert found(base, new).verdict is verdict


def test_more_of_what_is_wanted_is_better() -> None:
    assert found([0.8] * 5, [0.9] * 5, more_is_better=True).verdict is EffectVerdict.BETTER
    assert found([0.9] * 5, [0.8] * 5, more_is_better=True).verdict is EffectVerdict.WORSE


def test_what_varies_together_is_told_apart_only_in_pairs() -> None:
    base = [100.0, 200.0, 300.0, 400.0, 500.0]
    new = [value * 1.4 for value in base]
    paired, apart = found(base, new), found(base, new, same_seeds=False)
    assert (paired.contrast.paired, apart.contrast.paired) == (True, False)
    assert paired.verdict is EffectVerdict.WORSE
    assert apart.verdict is EffectVerdict.UNDECIDED
    assert paired.contrast.change.mean == pytest.approx(0.4)
    assert apart.contrast.change.mean == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        ([1.0] * 5, [1.0] * 5, EffectVerdict.SAME),
        ([1.0] * 5, [0.99] * 5, EffectVerdict.UNDECIDED),
        ([1.0] * 5, [0.95] * 5, EffectVerdict.WORSE),
        ([0.9] * 5, [0.99] * 5, EffectVerdict.BETTER),
    ],
)
def test_shares_are_compared_in_points(
    base: list[float], new: list[float], verdict: EffectVerdict
) -> None:
    trials = dict.fromkeys(range(5), 300.0)
    share = column_of("delivery_ratio")
    one, other = (Sample(share, dict(enumerate(values)), trials) for values in (base, new))
    change = effect(one, other, more_is_better=True, smallest_effect=share.usual_effect)
    assert change.verdict is verdict


def test_counts_are_compared_by_their_difference() -> None:
    failed = column_of("messages_failed")
    none, few, many = (
        Sample(failed, dict(enumerate(map(float, values))))
        for values in ([0] * 5, [0, 0, 1, 0, 0], [9, 12, 10, 8, 11])
    )
    judged = [
        effect(none, other, more_is_better=False, smallest_effect=0.05).verdict
        for other in (none, few, many)
    ]
    assert judged == [EffectVerdict.SAME, EffectVerdict.UNDECIDED, EffectVerdict.WORSE]


def test_the_standardised_effect_is_the_change_in_pooled_standard_deviations() -> None:
    changed = found([1.0, 2.0, 3.0], [3.0, 4.0, 5.0])
    assert changed.standardised == pytest.approx(2.0)
    assert found([1.0], [2.0]).standardised is None
    assert found([1.0, 1.0], [2.0, 2.0]).standardised == INFINITE


def test_seeds_that_one_side_lacks_are_left_out_of_the_pairs() -> None:
    more = effect(
        sample({1: 100.0, 2: 200.0, 3: 300.0}),
        sample({1: 110.0, 2: 220.0, 3: 330.0, 4: 9000.0, 5: 9000.0}),
        more_is_better=False,
        smallest_effect=0.0,
    )
    assert more.contrast.paired
    assert more.contrast.change.mean == pytest.approx(0.1)
    assert more.contrast.change.repetitions == 3

"""Two arms compared: worked examples, special cases, what is barred."""

import math
import random
from collections.abc import Sequence

import pytest
from scipy import stats  # type: ignore[import-untyped]

from lasthop.statistics.contrast import Contrast, Scale
from lasthop.statistics.contrasts import (
    difference,
    difference_of_counts,
    difference_of_shares,
    ratio,
)
from lasthop.statistics.intervals import IntervalKind

INFINITE = math.inf
EFFECT = 0.05


def arm(values: Sequence[float], *, first_seed: int = 0) -> dict[int, float]:
    return dict(enumerate(map(float, values), start=first_seed))


def found(
    base: Sequence[float], new: Sequence[float], *, same_seeds: bool = True, resolution: float = 0.0
) -> Contrast:
    second = arm(new, first_seed=0 if same_seeds else 100)
    return ratio(second, arm(base), resolution=resolution)


def leads(contrast: Contrast) -> bool:
    return min(contrast.p_value(EFFECT, "above"), contrast.p_value(EFFECT, "below")) <= 0.05


def test_latencies_that_differ_fivefold_in_every_pair_are_told_apart() -> None:
    # Five runs each of MQTT and of a UDP that retransmits after a timeout, in ms.
    apart = found([623, 770, 857, 595, 648], [2999, 7936, 7867, 3348, 6886])
    assert leads(apart)
    assert (apart.interval.low, apart.interval.high) == pytest.approx((4.9, 12.2), abs=0.05)
    assert (apart.change.low, apart.change.high) == pytest.approx((3.9, 11.2), abs=0.05)


def test_the_ratio_is_that_of_the_t_test_of_logarithms() -> None:
    base, new = [10.0, 14.0, 9.0, 12.0], [20.0, 25.0, 22.0, 19.0]
    logs = [math.log(after / before) for before, after in zip(base, new, strict=True)]
    reference = stats.ttest_1samp(logs, 0.0).confidence_interval(0.95)
    additive = found(base, new).additive
    assert (additive.low, additive.high) == pytest.approx((reference.low, reference.high))


def test_the_scale_of_the_unit_does_not_matter() -> None:
    base, new = [0.5, 0.7, 0.6], [1.9, 1.2, 1.4]
    small = found(base, new)
    large = found([1e9 * value for value in base], [1e9 * value for value in new])
    assert large.interval.low == pytest.approx(small.interval.low)
    assert large.p_value(EFFECT, "above") == pytest.approx(small.p_value(EFFECT, "above"))


def test_swapping_the_arms_turns_the_ratio_round() -> None:
    base, new = [10.0, 14.0, 9.0], [20.0, 25.0, 22.0]
    there, back = found(base, new), found(new, base)
    assert back.interval.low == pytest.approx(1 / there.interval.high)
    assert back.p_value(EFFECT, "below") == pytest.approx(there.p_value(EFFECT, "above"))


@pytest.mark.parametrize(
    ("repetitions", "least"),
    [(2, 1.257), (3, 1.1035), (4, 1.084), (5, 1.0764), (10, 1.0652), (20, 1.06)],
)
def test_arms_without_variance_lead_from_a_known_ratio_on(repetitions: int, least: float) -> None:
    base = [100.0] * repetitions
    assert leads(found(base, [100 * (least + 0.001)] * repetitions))
    assert not leads(found(base, [100 * (least - 0.001)] * repetitions))


def test_what_values_are_rounded_to_raises_the_floor() -> None:
    base, new = [10.0] * 5, [12.0] * 5
    assert leads(found(base, new))
    assert not leads(found(base, new, resolution=5.0))


def test_identical_arms_are_the_same_from_two_repetitions_on() -> None:
    same = found([3.0, 5.0], [3.0, 5.0])
    assert same.identical
    assert same.is_within(0.0)
    assert not leads(same)


@pytest.mark.parametrize("repetitions", [2, 3, 4])
def test_equal_signs_alone_do_not_decide_below_five_repetitions(repetitions: int) -> None:
    base, new = [100.0, 120.0, 90.0, 105.0], [110.0, 190.0, 100.0, 300.0]
    pairs = zip(base[:repetitions], new[:repetitions], strict=True)
    assert all(before < after for before, after in pairs)
    assert not leads(found(base[:repetitions], new[:repetitions]))


def test_one_repetition_claims_nothing() -> None:
    single = found([1.0], [1000.0])
    assert single.interval.kind is IntervalKind.SINGLE
    assert single.p_value(0.0, "above") == 1.0
    assert not single.is_within(1e9)


def test_two_repetitions_decide_a_difference_of_several_times_that_hardly_varies() -> None:
    assert leads(found([100.0, 102.0], [500.0, 512.0]))


def test_the_guard_asks_the_arithmetic_mean_too() -> None:
    # The typical run of the second arm is faster; its mean is that of the first arm.
    base, new = [100.0, 101.0, 99.0, 100.0] * 5, [30.0, 31.0, 29.0, 310.0] * 5
    guarded = found(base, new)
    assert guarded.additive.high < -math.log1p(EFFECT)
    assert not leads(guarded)


def test_without_common_seeds_logarithms_are_compared_by_welch() -> None:
    base, new = [20.4, 24.2, 15.4, 21.4, 20.2], [32.2, 17.1, 29.8, 28.4, 26.6, 30.2]
    apart = found(base, new, same_seeds=False)
    logs = [list(map(math.log, values)) for values in (new, base)]
    reference = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    assert not apart.paired
    assert (apart.additive.low, apart.additive.high) == pytest.approx(
        (reference.low, reference.high)
    )


def test_few_common_seeds_are_no_pairs_and_most_are() -> None:
    base, new = {1: 1.0, 2: 2.0, 3: 3.0, 4: 4.0}, {4: 1.0, 5: 2.0, 6: 3.0}
    unpaired = ratio(new, base)
    assert not unpaired.paired
    paired = ratio({1: 1.1, 2: 2.1, 3: 3.1, 9: 7.0}, base)
    assert (paired.paired, paired.interval.repetitions) == (True, 3)


@pytest.mark.parametrize("value", [INFINITE, 0.0])
def test_arms_that_are_beyond_measure_alike_are_equal(value: float) -> None:
    alike = found([value] * 5, [value] * 5, same_seeds=False)
    assert alike.identical
    assert not leads(alike)
    assert alike.interval.mean == 1.0


def test_an_arm_with_more_unreached_runs_never_leads() -> None:
    base, new = [100.0, 101.0, 99.0, 100.0, 102.0], [1.0, 1.1, 0.9, 1.0, INFINITE]
    apart = found(base, new)
    assert apart.p_value(EFFECT, "below") == 1.0
    assert apart.interval.high == INFINITE


def test_unreached_runs_stand_at_the_largest_value_of_both_arms() -> None:
    base, new = [10.0, 11.0, 9.0], [40.0, INFINITE, 38.0]
    assert found(base, new).interval.mean == pytest.approx(found(base, [40, 40, 38]).interval.mean)


def test_pairs_that_both_did_not_reach_are_equal() -> None:
    base, new = [INFINITE, 10.0, 11.0], [INFINITE, 20.0, 22.0]
    assert found(base, new).interval.mean == pytest.approx(
        math.exp((math.log(2) + math.log(2) + 0) / 3)
    )


@pytest.mark.parametrize(("repetitions", "decided"), [(2, False), (3, True), (5, True)])
def test_an_arm_that_never_reached_loses_by_the_chance_of_that(
    repetitions: int, *, decided: bool
) -> None:
    never = found([9000.0 + run for run in range(repetitions)], [INFINITE] * repetitions)
    assert never.p_value(EFFECT, "above") == pytest.approx(2 / 4**repetitions)
    assert leads(never) is decided


def test_zero_is_beyond_measure_for_a_positive_quantity() -> None:
    less = found([100.0, 110.0, 90.0], [0.0, 0.0, 0.0])
    assert less.p_value(EFFECT, "below") == pytest.approx(2 / 64)
    some = found([100.0, 110.0, 90.0], [0.0, 100.0, 95.0])
    assert some.interval.low == 0.0
    assert some.p_value(EFFECT, "above") == 1.0


def test_shares_without_variance_are_as_wide_as_their_messages_allow() -> None:
    trials = arm([100.0] * 5)
    apart = difference_of_shares(arm([1.0] * 5), arm([0.99] * 5), trials=(trials, trials))
    assert apart.scale is Scale.DIFFERENCE
    # Newcombe's method 10 of 500 of 500 and 495 of 500, by statsmodels' confint_proportions_2indep.
    assert (apart.interval.low, apart.interval.high) == pytest.approx((0.00047, 0.02319), abs=5e-5)
    assert apart.p_value(0.0, "above") < 0.05 < apart.p_value(0.01, "above")


def test_shares_that_vary_from_run_to_run_are_as_wide_as_their_runs() -> None:
    trials = arm([10_000.0] * 3)
    base, new = arm([0.9, 0.99, 0.8]), arm([0.99, 0.95, 0.99])
    apart = difference_of_shares(new, base, trials=(trials, trials))
    alone = difference(new, base)
    assert apart.interval.low == alone.interval.low < -0.1


def test_a_share_without_trials_has_the_floor_of_its_rest() -> None:
    apart = difference_of_shares(arm([0.99] * 5), arm([0.98] * 5))
    assert apart.interval.high - apart.interval.low == pytest.approx(
        2 * 2.7764 * 0.02 * 0.02 / math.sqrt(5), rel=1e-3
    )


def test_no_event_in_one_arm_and_few_in_the_other_is_no_difference() -> None:
    apart = difference_of_counts(arm([0, 0, 0, 1, 0]), arm([0] * 5))
    assert apart.interval.low < 0 < apart.interval.high
    clear = difference_of_counts(arm([9, 11, 10, 8, 12]), arm([0] * 5))
    assert clear.p_value(0.0, "above") < 0.01


def test_a_p_value_is_the_level_at_which_the_interval_touches_the_bound() -> None:
    trials = arm([200.0] * 5)
    shares = difference_of_shares(
        arm([0.98] * 5), arm([0.95, 0.96, 0.94, 0.95, 0.95]), trials=(trials, trials)
    )
    counts = difference_of_counts(arm([9, 11, 10, 8, 12]), arm([4, 6, 5, 5, 5]))
    for contrast in (shares, counts, found([10.0, 11.0, 9.0], [20.0, 26.0, 22.0])):
        assert contrast.evidence is not None
        p_value = contrast.p_value(0.01, "above")
        assert 0 < p_value < 1
        p_shown = getattr(contrast.evidence, "shown", contrast.evidence)
        bound = contrast.bound(0.01)
        level = 1 - p_shown.p_value(bound, "above")
        assert p_shown.ends(level)[0] == pytest.approx(bound, abs=1e-6)


def test_more_repetitions_of_the_same_spread_never_widen_the_interval() -> None:
    draw = random.Random(5)  # noqa: S311
    logs = [draw.gauss(0.0, 0.3) for _ in range(200)]
    widths = [
        found([1.0] * count, [math.exp(log) for log in logs[:count]]).additive
        for count in (10, 50, 200)
    ]
    reaches = [width.high - width.low for width in widths]
    assert reaches == sorted(reaches, reverse=True)

"""The bootstrap over repetitions: how often it covers the truth; p-values that invert it."""

import math
import random
from collections.abc import Callable

import pytest

from lasthop.statistics.bootstrap import MOST_STRETCH, Bootstrap, bootstrap_interval
from lasthop.statistics.intervals import IntervalKind, interval

TRIALS = 2000
Law = Callable[[random.Random], float]


def normal(draw: random.Random) -> float:
    return draw.gauss(0.0, 1.0)


def exponential(draw: random.Random) -> float:
    return draw.expovariate(1.0)


def coverage(law: Law, mean: float, *, count: int, trials: int) -> tuple[float, float]:
    """Return how often the bootstrap and the t interval cover the mean, over seed 1."""
    draw = random.Random(1)  # noqa: S311
    bootstrap = student = 0
    for _ in range(trials):
        values = [law(draw) for _ in range(count)]
        found, plain = bootstrap_interval(values), interval(values)
        bootstrap += found.low <= mean <= found.high
        student += plain.low <= mean <= plain.high
    return bootstrap / trials, student / trials


def test_five_normal_repetitions_are_covered_as_often_as_promised() -> None:
    # Binomial: at a true coverage of 94.5 % fewer than 92.5 % of 2000 have a chance below 1e-3.
    bootstrap, student = coverage(normal, 0.0, count=5, trials=TRIALS)
    assert bootstrap >= 0.925
    assert student >= 0.93


def test_five_skewed_repetitions_are_covered_more_often_than_by_the_t_interval() -> None:
    bootstrap, student = coverage(exponential, 1.0, count=5, trials=TRIALS)
    assert bootstrap >= 0.895  # about 92 % in truth, see the docstring of Bootstrap
    assert student <= 0.905  # about 88 %
    assert bootstrap - student >= 0.02  # of the same samples


def test_twelve_repetitions_are_resampled_and_covered_too() -> None:
    assert coverage(normal, 0.0, count=12, trials=300)[0] >= 0.91
    assert coverage(exponential, 1.0, count=12, trials=300)[0] >= 0.895


def test_the_interval_follows_the_skewness() -> None:
    found = Bootstrap.of([1.0, 1.1, 1.2, 1.4, 4.0]).interval()
    assert found.high - found.mean > 1.5 * (found.mean - found.low)


def test_two_clusters_do_not_stretch_it_without_limit() -> None:
    values = [532.0, 692.0, 17764.0, 21173.0, 22800.0]
    found, plain = bootstrap_interval(values), interval(values)
    assert found.mean - found.low == pytest.approx(MOST_STRETCH * (plain.mean - plain.low))


def test_the_order_of_the_values_does_not_matter() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0]
    assert Bootstrap.of(values) == Bootstrap.of(sorted(values))


def test_a_unit_does_not_matter() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0]
    found = Bootstrap.of(values).interval()
    scaled = Bootstrap.of([1000 * value for value in values]).interval()
    assert (scaled.low, scaled.high) == pytest.approx((1000 * found.low, 1000 * found.high))


def test_a_seed_decides_and_another_one_hardly_matters() -> None:
    draw = random.Random(2)  # noqa: S311
    values = [draw.gauss(10.0, 1.0) for _ in range(20)]
    assert Bootstrap.of(values, seed=1) == Bootstrap.of(values, seed=1)
    first, second = (Bootstrap.of(values, seed=seed).interval() for seed in (1, 2))
    assert first != second
    assert first.low == pytest.approx(second.low, abs=0.05)


def test_with_many_repetitions_it_is_the_t_interval() -> None:
    draw = random.Random(3)  # noqa: S311
    values = [draw.gauss(10.0, 1.0) for _ in range(400)]
    found, plain = bootstrap_interval(values), interval(values)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.02)


def test_a_p_value_is_the_level_at_which_the_interval_touches_the_bound() -> None:
    drawn = Bootstrap.of([4.0, 5.0, 6.0, 7.0, 12.0])
    for bound, side in ((3.0, "above"), (9.0, "below"), (5.0, "above")):
        p = drawn.p_value(bound, "above" if side == "above" else "below")
        touching = drawn.interval(1 - p)
        end = touching.low if side == "above" else touching.high
        assert end == pytest.approx(bound)


def test_the_wrong_side_has_the_p_value_one() -> None:
    drawn = Bootstrap.of([4.0, 5.0, 6.0, 7.0, 8.0])
    assert drawn.p_value(7.0, "above") == 1.0
    assert drawn.p_value(5.0, "below") == 1.0


def test_five_values_of_one_sign_are_no_certainty() -> None:
    # The chance of five equal signs is 1/16; a percentile interval would call it impossible.
    assert Bootstrap.of([0.1, 5.0, 1.0, 9.0, 3.0]).p_value(0.0, "above") > 0.01


def test_equal_values_leave_no_doubt() -> None:
    drawn = Bootstrap.of([0.1] * 5)
    assert (drawn.interval().low, drawn.interval().high) == (drawn.mean, drawn.mean)
    assert drawn.p_value(0.0, "above") == 0.0


def test_ties_that_leave_nothing_to_resample_fall_back_to_student() -> None:
    values = [1.0, 1.0, 1.0, 1.0, 0.9]
    found, plain = bootstrap_interval(values), interval(values)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0, math.inf]])
def test_too_few_or_infinite_values_give_their_range(values: list[float]) -> None:
    assert bootstrap_interval(values).kind is IntervalKind.RANGE

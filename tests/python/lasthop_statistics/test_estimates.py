"""One arm by itself."""

import pytest

from lasthop.statistics.estimates import amount, count, number, share


def test_a_steady_amount_has_the_t_interval() -> None:
    values = [100.0, 104.0, 96.0, 102.0, 98.0]
    assert amount(values).interval.low == pytest.approx(number(values).interval.low, rel=0.01)


def test_a_skewed_amount_reaches_farther_up_than_the_t_interval() -> None:
    values = [1.0, 1.1, 1.2, 1.4, 9.0]
    wide, alone = amount(values).interval, number(values).interval
    assert wide.low <= alone.low
    assert wide.high >= alone.high
    assert wide.mean == alone.mean


def test_an_amount_of_zero_has_the_t_alone() -> None:
    assert amount([0.0, 1.0, 2.0]).interval == number([0.0, 1.0, 2.0]).interval


def test_an_amount_lies_beyond_a_bound_with_its_mean_and_its_typical_value() -> None:
    evidence = amount([900.0, 1100.0, 1000.0]).evidence
    assert evidence.p_value(500.0, "above") < 0.05
    assert evidence.p_value(0.0, "above") < 0.05
    assert evidence.p_value(0.0, "below") == 1.0
    assert evidence.p_value(1000.0, "above") > 0.9


def test_a_share_of_one_is_as_sure_as_its_trials() -> None:
    few, many = (share([1.0] * 5, trials=[trials] * 5) for trials in (10.0, 1000.0))
    # Wilson's interval of 50 of 50: 92.9 %.
    assert few.interval.low == pytest.approx(0.9287, abs=1e-4)
    assert many.interval.low > 0.999
    assert few.interval.high == 1.0


def test_a_count_of_none_is_not_certain() -> None:
    # Garwood: 3.69 events at most in five runs.
    assert count([0.0] * 5).interval.high == pytest.approx(3.689 / 5, abs=1e-3)


def test_a_number_has_the_floor_that_it_is_given() -> None:
    assert number([2.0] * 4).interval.low == 2.0
    assert number([2.0] * 4, floor=0.5).interval.low < 1.3

"""Intervals over repetitions."""

import math

import pytest

from lasthop.statistics.intervals import IntervalKind, interval


def test_five_repetitions_give_a_student_t_interval() -> None:
    found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    # 2.776445 is the 97.5 % quantile of Student's t for 4 degrees of freedom.
    half_width = 2.776445 * math.sqrt(2.5 / 5)
    assert found.kind is IntervalKind.STUDENT_T
    assert (found.low, found.high) == pytest.approx((3 - half_width, 3 + half_width), rel=1e-6)


def test_fewer_than_five_repetitions_give_their_range_and_say_so() -> None:
    found = interval([4.0, 1.0, 3.0])
    assert (found.low, found.high) == (1.0, 4.0)
    assert found.kind_text == "range of 3 runs"


def test_a_single_repetition_has_no_interval() -> None:
    assert interval([4.0]).kind_text == "single run, no interval"


def test_an_infinite_repetition_makes_the_mean_infinite_and_the_interval_a_range() -> None:
    found = interval([1.0, 2.0, 3.0, 4.0, math.inf])
    assert found.mean == math.inf
    assert (found.low, found.high, found.kind) == (1.0, math.inf, IntervalKind.RANGE)
    assert found.unreached == 1

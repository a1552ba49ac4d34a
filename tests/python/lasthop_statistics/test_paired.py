"""Differences between two arms, paired by seed."""

import math

import pytest

from lasthop.statistics.intervals import IntervalKind
from lasthop.statistics.paired import paired_difference


def test_differences_are_paired_by_seed() -> None:
    baseline = {seed: 10.0 * seed for seed in range(1, 6)}
    values = {seed: 10.0 * seed + 1 for seed in range(1, 6)}
    found = paired_difference(values, baseline)
    assert found is not None
    assert (found.low, found.mean, found.high) == (1.0, 1.0, 1.0)


def test_only_seeds_of_both_arms_are_paired() -> None:
    found = paired_difference({1: 3.0, 2: 5.0}, {2: 4.0, 3: 9.0})
    assert found is not None
    assert (found.mean, found.repetitions) == (1.0, 1)


def test_two_infinite_values_say_nothing_about_their_difference() -> None:
    assert paired_difference({1: math.inf}, {1: math.inf}) is None


def test_five_pairs_give_a_bootstrap_interval_of_their_differences() -> None:
    baseline = {seed: 100.0 * seed for seed in range(1, 6)}
    differences = (4.0, 5.0, 6.0, 7.0, 8.0)
    values = {seed: 100.0 * seed + differences[seed - 1] for seed in baseline}
    found = paired_difference(values, baseline)
    assert found is not None
    assert found.kind is IntervalKind.BOOTSTRAP
    assert found.mean == pytest.approx(6.0)
    # The spread between seeds, a hundred times larger, plays no part.
    assert 1.0 < found.low < 4.5
    assert 7.5 < found.high < 11.0

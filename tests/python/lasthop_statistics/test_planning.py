"""How many repetitions are needed."""

import math
import random

import pytest

from lasthop.statistics.intervals import interval
from lasthop.statistics.planning import runs_needed


def test_as_many_runs_as_it_says_reach_the_half_width() -> None:
    draw = random.Random(4)  # noqa: S311
    sample = [draw.gauss(100.0, 10.0) for _ in range(40)]
    count = runs_needed(interval(sample), half_width=2.0)
    assert count is not None
    reached = []
    for _ in range(200):
        found = interval([draw.gauss(100.0, 10.0) for _ in range(count)])
        reached.append((found.high - found.low) / 2)
    assert math.fsum(reached) / len(reached) == pytest.approx(2.0, rel=0.25)


def test_half_the_width_needs_about_four_times_the_runs() -> None:
    values = [9.0, 10.0, 11.0, 10.5, 9.5, 10.2]
    found = interval(values)
    wide, narrow = runs_needed(found, half_width=0.2), runs_needed(found, half_width=0.1)
    assert wide is not None
    assert narrow == pytest.approx(4 * wide, rel=0.1)


def test_it_is_the_smallest_number_that_does() -> None:
    values = [9.0, 10.0, 11.0, 10.5, 9.5]
    found = interval(values)
    reach = (found.high - found.low) / 2
    assert runs_needed(found, half_width=reach - 1e-3) == 6
    assert runs_needed(found, half_width=0.7 * reach) == 8


def test_what_is_open_needs_one_more_at_least() -> None:
    assert runs_needed(interval([4.0] * 6), half_width=1e-9) == 7


def test_a_first_look_takes_five() -> None:
    assert runs_needed(interval([4.0, 5.0]), half_width=1.0) == 5


@pytest.mark.parametrize(
    ("values", "half_width"),
    [([1.0] * 5 + [math.inf], 1.0), ([0.0, 1e9] * 3, 1e-3), ([1.0, 2.0] * 3, 0.0)],
)
def test_nothing_is_foreseen_where_nothing_can_be(values: list[float], half_width: float) -> None:
    assert runs_needed(interval(values), half_width=half_width) is None

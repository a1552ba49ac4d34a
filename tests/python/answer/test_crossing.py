"""Where two lines cross: between the measured points, with what the repetitions say."""

import pytest

from lasthop.answer.crossing import crossing
from lasthop.statistics.intervals import IntervalKind


def test_a_crossing_is_interpolated_between_the_two_points() -> None:
    found = crossing([0.0, 10.0], [{1: -1.0}, {1: 3.0}])
    assert found is not None
    assert found.at.mean == pytest.approx(2.5)
    assert found.at.kind is IntervalKind.SINGLE
    assert found.crossed == 1


def test_each_repetition_has_a_crossing_of_its_own() -> None:
    before = dict.fromkeys(range(5), -1.0)
    after = {0: 1.0, 1: 1.5, 2: 0.8, 3: 1.2, 4: 1.0}
    found = crossing([0.0, 10.0], [before, after])
    assert found is not None
    own = [10 / (1 + value) for value in after.values()]
    assert found.at.kind is IntervalKind.STUDENT_T
    assert found.at.low < min(own) + 1 < max(own) < found.at.high + 1
    assert found.at.low < found.at.mean < found.at.high
    assert found.crossed == 5


def test_a_repetition_that_does_not_cross_counts_with_the_end_it_stays_at() -> None:
    found = crossing([0.0, 10.0], [{1: -1.0, 2: -1.0}, {1: 3.0, 2: -0.5}])
    assert found is not None
    assert found.crossed == 1
    assert (found.at.low, found.at.high) == (2.5, 10.0)
    other = crossing([0.0, 10.0], [{1: -3.0, 2: 0.5}, {1: 1.0, 2: 1.0}])
    assert other is not None
    assert other.at.low == 0.0


def test_nothing_lies_outside_the_points() -> None:
    wild = {seed: (0.01 if seed % 2 else 5.0) for seed in range(6)}
    found = crossing([0.0, 1.0], [dict.fromkeys(wild, -1.0), wild])
    assert found is not None
    assert 0.0 <= found.at.low <= found.at.mean <= found.at.high <= 1.0


@pytest.mark.parametrize(
    ("positions", "line", "at"),
    [
        ([0.0, 1.0, 2.0], [2.0, 1.0, -1.0], 1.5),
        ([0.0, 1.0, 2.0], [1.0, 0.0, -3.0], 1.0),
        ([0.0, 1.0, 2.0, 3.0], [1.0, 0.0, 0.0, -3.0], 1.5),
        ([0.0, 1.0, 2.0], [1.0, -1.0, 1.0], 0.5),
        ([0.0, 1.0], [1.0, 2.0], None),
        ([0.0, 1.0], [1.0, 0.0], None),
        ([0.0, 1.0], [0.0, 1.0], None),
        ([0.0, 1.0], [1.0, float("-inf")], None),
    ],
)
def test_a_change_of_sign_is_found_where_it_is(
    positions: list[float], line: list[float], at: float | None
) -> None:
    found = crossing(positions, [{7: value} for value in line])
    assert (None if found is None else found.at.mean) == at


def test_seeds_that_a_point_lacks_are_left_out() -> None:
    found = crossing([0.0, 1.0], [{1: -1.0, 2: -9.0}, {1: 1.0}])
    assert found is not None
    assert found.at.repetitions == 1
    assert crossing([0.0, 1.0], [{1: -1.0}, {2: 1.0}]) is None

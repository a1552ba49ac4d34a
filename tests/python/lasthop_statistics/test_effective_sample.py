"""Intervals of shares whose trials have common fates."""

import math

import pytest
from benchmarks.few_repetitions.clustered_shares import MESSAGES, counting, covered

from lasthop.statistics.effective_sample import share_interval
from lasthop.statistics.intervals import IntervalKind


@pytest.mark.parametrize(("runs", "least"), [(1, 0.85), (2, 0.9), (5, 0.9)])
@pytest.mark.parametrize("share", [0.9, 0.97])
def test_the_interval_holds_the_share_of_devices_with_common_fates(
    share: float, runs: int, least: float
) -> None:
    ours, _ = covered(share, 0.2, runs=runs, samples=300)
    assert ours >= least


def test_trials_that_all_end_alike_have_a_width_too() -> None:
    for share in (0.0, 1.0):
        found = share_interval([share] * 5, [200.0] * 5)
        assert found.kind is IntervalKind.SHARE
        assert math.isclose(found.high - found.low, 3.84 / 1003.84, rel_tol=1e-3)


def test_messages_that_live_or_die_by_device_count_as_devices() -> None:
    assert counting([MESSAGES, 0] * 50) == pytest.approx(1 / MESSAGES, rel=0.05)


def test_runs_that_differ_count_as_runs() -> None:
    apart = share_interval([1.0, 0.5], [1000.0, 1000.0])
    alike = share_interval([0.75, 0.75], [1000.0, 1000.0])
    assert alike.high - alike.low < 0.04
    assert apart.high - apart.low > 0.4
    assert apart.low <= apart.mean <= apart.high


def test_a_single_run_and_unknown_trials_are_as_before() -> None:
    assert share_interval([0.9], [100.0]).kind is IntervalKind.SINGLE
    assert share_interval([0.9, 0.8], None).kind is IntervalKind.RANGE

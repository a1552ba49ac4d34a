"""Intervals of shares whose trials have common fates."""

import math
import random

import pytest

from lasthop.statistics.effective_sample import part_that_counts, share_evidence, share_interval
from lasthop.statistics.intervals import IntervalKind

RUNS, DEVICES, MESSAGES = 5, 10, 20
_SEED = 20261129


def counting(by_device: list[int]) -> float:
    """Give the part that counts of messages of so many devices, from how many arrived of each."""
    total = len(by_device) * MESSAGES
    share = sum(by_device) / total
    apart = sum((good - share * MESSAGES) ** 2 for good in by_device)
    count = len(by_device)
    return part_that_counts(
        share=share,
        clusters=count,
        variance=count / (count - 1) * apart / total**2,
        independent=share * (1 - share) / total,
    )


def covered(share: float, spread: float, *, draws: int, runs: int = RUNS) -> float:
    """Give how often the interval of a share holds it whose devices differ (beta-binomial)."""
    chance = random.Random(_SEED)  # noqa: S311
    first = share * (1 - spread) / spread
    second = (1 - share) * (1 - spread) / spread
    held = 0
    for _ in range(draws):
        by_run = [
            [
                sum(chance.random() < own for _ in range(MESSAGES))
                for own in (chance.betavariate(first, second) for _ in range(DEVICES))
            ]
            for _ in range(runs)
        ]
        part = counting([good for one in by_run for good in one])
        values = [sum(one) / (DEVICES * MESSAGES) for one in by_run]
        low, high = share_evidence(values, [DEVICES * MESSAGES * part] * runs).ends(0.95)
        held += low <= share <= high
    return held / draws


@pytest.mark.parametrize(("runs", "least"), [(1, 0.85), (2, 0.9), (RUNS, 0.9)])
@pytest.mark.parametrize("share", [0.9, 0.97])
def test_the_interval_holds_the_share_of_devices_with_common_fates(
    share: float, runs: int, least: float
) -> None:
    assert covered(share, 0.2, draws=300, runs=runs) >= least


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

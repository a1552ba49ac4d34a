"""Two folders without common seeds: how often a change is named, by mistake and rightly."""

import pytest
from benchmarks.few_repetitions.laws import Law, bimodal, log_normal
from benchmarks.few_repetitions.through_compare import compared, rates

SAMPLES = 300


def test_folders_without_common_seeds_are_compared_unpaired() -> None:
    assert not compared([100.0, 110.0, 120.0], [150.0, 160.0, 170.0]).contrast.paired


@pytest.mark.parametrize("law", [log_normal(0.2), bimodal(0.2)], ids=lambda law: law.name)
@pytest.mark.parametrize("repetitions", [2, 5])
def test_a_change_is_rarely_named_by_chance(law: Law, repetitions: int) -> None:
    found = rates(law, times=1.05, repetitions=repetitions, samples=SAMPLES, seed=1)
    # Binomial: at a true rate of 5 % more than 28 of 300 have a chance below 1e-3.
    assert found.changed <= 100 * 28 / SAMPLES


@pytest.mark.parametrize("repetitions", [3, 10])
def test_intervals_hold_the_true_ratio(repetitions: int) -> None:
    found = rates(log_normal(0.2), times=1.5, repetitions=repetitions, samples=SAMPLES, seed=1)
    # Binomial: at a true rate of 95 % fewer than 272 of 300 have a chance below 1e-3.
    assert found.covered >= 100 * 272 / SAMPLES


def test_half_as_much_again_is_seen_as_often_as_the_rule_promises() -> None:
    # Four standard errors of 300 samples at 67 % are 10.9 points.
    found = rates(log_normal(0.2), times=1.5, repetitions=5, samples=SAMPLES, seed=1)
    assert found.changed == pytest.approx(67, abs=10.9)

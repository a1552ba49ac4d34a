"""How often comparisons are wrong and right: the main rows of the simulation behind the rule.

All are drawn with one seed and judged by the functions that judge a study. A rate of 800 samples
has a standard error of 0.8 points at 5 % and of 1.8 points at 50 %; the bounds leave four of
them. `python -m benchmarks.few_repetitions.run` measures every row with more samples.
"""

import pytest
from benchmarks.few_repetitions.laws import Law, bimodal, exponential, log_normal, normal
from benchmarks.few_repetitions.rates import leads
from benchmarks.few_repetitions.several import along_sweep, among_arms, with_looks
from benchmarks.few_repetitions.shares_and_counts import binomial, covers_shares, outage
from benchmarks.few_repetitions.tables import (
    ERROR_REPETITIONS,
    POWER,
    POWER_REPETITIONS,
    SHARE_COVERAGE,
    power_of,
)

SAMPLES = 800
TOLERANCE = 7.5
"""Points: four standard errors at the worst rate, of ours and of the first simulation."""


@pytest.mark.parametrize("repetitions", ERROR_REPETITIONS)
@pytest.mark.parametrize(
    "law", [normal(0.3), log_normal(0.5), exponential(), bimodal(0.2)], ids=lambda law: law.name
)
def test_a_true_ratio_at_the_smallest_effect_rarely_leads(law: Law, repetitions: int) -> None:
    found = leads(
        (law, law),
        times=1.05,
        repetitions=repetitions,
        samples=SAMPLES,
        correlation=0.0,
        seed=1,
    )
    # Of a true rate of 5 % more than 7.6 % of 800 have a chance below 1e-3.
    assert found["above"] + found["below"] <= 0.076


@pytest.mark.parametrize(("law", "times", "correlation", "expected"), POWER)
def test_a_difference_is_seen_as_often_as_when_the_rule_was_chosen(
    law: Law, times: float, correlation: float, expected: tuple[float, ...]
) -> None:
    few = [POWER_REPETITIONS.index(count) for count in (2, 3, 5, 10)]
    found = [power_of(law, times, correlation, POWER_REPETITIONS[place], SAMPLES) for place in few]
    assert found == pytest.approx([expected[place] for place in few], abs=TOLERANCE)


@pytest.mark.parametrize("repetitions", SHARE_COVERAGE)
def test_the_difference_of_equal_shares_is_covered(repetitions: int) -> None:
    for counts in (binomial(0.99), outage(0.99)):
        wide, _ = covers_shares(
            (counts, counts),
            0.0,
            messages=100,
            repetitions=repetitions,
            samples=SAMPLES,
            seed=1,
        )
        assert wide >= 0.92  # of a true 95 %: below 92.6 % has a chance of 1e-3


def test_all_delivered_against_nearly_all_is_covered_where_t_alone_is_not() -> None:
    wide, alone = covers_shares(
        (binomial(0.999), binomial(1.0)),
        -0.001,
        messages=100,
        repetitions=5,
        samples=SAMPLES,
        seed=1,
    )
    assert (100 * wide, 100 * alone) == pytest.approx((100, 39), abs=TOLERANCE)


def test_an_outage_that_no_run_showed_is_not_covered_and_no_formula_helps() -> None:
    missed, _ = covers_shares(
        (outage(0.99), binomial(1.0)),
        -0.01,
        messages=1000,
        repetitions=5,
        samples=SAMPLES,
        seed=1,
    )
    assert 100 * missed == pytest.approx(41, abs=TOLERANCE)


def test_the_best_of_six_equal_arms_rarely_leads_one_and_hardly_ever_all() -> None:
    found = among_arms(log_normal(0.5), [1.0] * 6, repetitions=5, samples=SAMPLES, seed=1)
    assert found.some_pair <= 0.1  # 7 % and four standard errors
    assert found.all_pairs <= 0.01


def test_one_better_of_six_leads_all_as_often_as_its_intervals_do() -> None:
    sizes = [1.0, *[1.5] * 5]
    found = among_arms(log_normal(0.2), sizes, repetitions=8, samples=SAMPLES, seed=1)
    assert 100 * found.all_pairs == pytest.approx(61, abs=TOLERANCE)


def test_ten_equal_points_need_the_correction_for_a_lead_at_one_of_them() -> None:
    found = along_sweep(log_normal(0.5), [1.0] * 10, repetitions=3, samples=SAMPLES, seed=1)
    assert found.uncorrected > 0.2
    assert found.lead <= 0.076
    assert found.flip <= 0.06


def test_looks_share_the_error() -> None:
    looks = (5, 10, 20, 40)
    split, plain = (
        with_looks(log_normal(0.5), 1.05, looks, samples=SAMPLES, seed=1, split=split)
        for split in (True, False)
    )
    assert split.decided <= 0.05
    assert plain.decided > 0.06

"""Holm's correction."""

import random

import pytest

from lasthop.statistics.holm import holm


def test_the_example_of_a_textbook() -> None:
    # 0.01 * 4, 0.03 * 2 after 0.02 * 3, and the last not below it.
    assert holm([0.01, 0.04, 0.03, 0.02]) == pytest.approx((0.04, 0.06, 0.06, 0.06))


def test_nothing_is_corrected_without_a_question() -> None:
    assert holm([]) == ()
    assert holm([0.04]) == (0.04,)


def test_no_p_value_exceeds_one() -> None:
    assert holm([0.9, 0.8]) == (1.0, 1.0)


def test_ten_true_hypotheses_are_wrongly_rejected_together_in_at_most_5_percent() -> None:
    # Binomial: at 5 % more than 6.6 % of 2000 families have a chance below 1e-3; seed 1.
    draw = random.Random(1)  # noqa: S311
    families = ([draw.random() for _ in range(10)] for _ in range(2000))
    wrong = sum(min(holm(family)) <= 0.05 for family in families)
    assert wrong / 2000 <= 0.066

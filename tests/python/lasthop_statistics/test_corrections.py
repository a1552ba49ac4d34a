"""The corrections of Holm and Hochberg."""

import random

import pytest

from lasthop.statistics.corrections import hochberg, holm


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


def test_the_step_up_accepts_all_when_all_are_small_enough() -> None:
    p_values = [0.04, 0.03, 0.045]
    assert max(hochberg(p_values)) <= 0.05
    assert min(holm(p_values)) > 0.05


def test_the_step_up_never_asks_for_more_than_the_step_down() -> None:
    draw = random.Random(2)  # noqa: S311
    for _ in range(200):
        family = [draw.random() ** 3 for _ in range(6)]
        steps = zip(family, hochberg(family), holm(family), strict=True)
        assert all(alone <= up <= down + 1e-15 for alone, up, down in steps)


def test_corrections_keep_the_places_of_their_questions() -> None:
    assert hochberg([0.5, 0.001, 0.2]) == pytest.approx((0.5, 0.003, 0.4))
    assert hochberg([]) == ()

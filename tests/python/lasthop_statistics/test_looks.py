"""Looks at growing data: how often an A/A experiment finds a difference that is not there."""

import random

import pytest

from lasthop.statistics.bootstrap import bootstrap_interval
from lasthop.statistics.intervals import CONFIDENCE
from lasthop.statistics.looks import confidence_at_a_look, planned_looks

TRIALS = 300
LOOKS = planned_looks(5, 20)


def falsely_decided(confidence: float) -> float:
    """Return in which share of A/A experiments some look excludes zero, over seed 1."""
    draw = random.Random(1)  # noqa: S311
    found = 0
    for _ in range(TRIALS):
        differences = [draw.gauss(0.0, 1.0) for _ in range(LOOKS[-1])]
        looks = (bootstrap_interval(differences[:look], confidence=confidence) for look in LOOKS)
        found += any(look.low > 0 or look.high < 0 for look in looks)
    return found / TRIALS


def test_an_experiment_without_a_difference_keeps_its_error_over_all_looks() -> None:
    # Binomial: at a true rate of 5 % more than 9.4 % of 300 have a chance below 1e-3.
    assert falsely_decided(confidence_at_a_look(len(LOOKS))) <= 0.094


def test_without_the_correction_it_does_not() -> None:
    # 10.7 % at three looks at equal distances (Armitage, McPherson and Rowe 1969, table 2).
    assert 0.094 < falsely_decided(CONFIDENCE) < 0.17


@pytest.mark.parametrize(("looks", "nominal"), [(2, 0.0294), (3, 0.0221), (4, 0.0182), (5, 0.0158)])
def test_a_look_is_stricter_than_those_of_pocock_which_know_the_dependence(
    looks: int, nominal: float
) -> None:
    # Pocock 1977, Biometrika 64:191, table 1: levels of K looks at equal distances.
    share = 1 - confidence_at_a_look(looks)
    assert share == pytest.approx(0.05 / looks)
    assert 0.6 * nominal < share < nominal


@pytest.mark.parametrize(
    ("first", "most", "looks"),
    [
        (5, 50, (5, 10, 20, 40, 50)),
        (5, 5, (5,)),
        (3, 12, (3, 6, 12)),
        (1, 2, (1, 2)),
        (40, 50, (40, 50)),
    ],
)
def test_looks_are_fixed_beforehand(first: int, most: int, looks: tuple[int, ...]) -> None:
    assert planned_looks(first, most) == looks

"""Looks at growing data: how often an A/A experiment finds a difference that is not there."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.special import ndtri  # type: ignore[import-untyped]

from lasthop.statistics.contrasts import difference
from lasthop.statistics.intervals import CONFIDENCE
from lasthop.statistics.looks import confidence_at_a_look, planned_looks

TRIALS = 300
LOOKS = planned_looks(5, 20)


def excludes_zero(differences: Sequence[float], confidence: float) -> bool:
    values = dict(enumerate(differences))
    found = difference(values, dict.fromkeys(values, 0.0), confidence=confidence)
    return not found.interval.low <= 0 <= found.interval.high


def falsely_decided(confidence: float) -> float:
    """Return in which share of A/A experiments some look excludes zero, over seed 1."""
    draw = random.Random(1)  # noqa: S311
    found = 0
    for _ in range(TRIALS):
        differences = [draw.gauss(0.0, 1.0) for _ in range(LOOKS[-1])]
        found += any(excludes_zero(differences[:look], confidence) for look in LOOKS)
    return found / TRIALS


def test_an_experiment_without_a_difference_keeps_its_error_over_all_looks() -> None:
    # Binomial: at a true rate of 5 % more than 9.4 % of 300 have a chance below 1e-3.
    assert falsely_decided(confidence_at_a_look(len(LOOKS))) <= 0.094


def test_without_the_correction_it_does_not() -> None:
    # 11.3 % of normal values whose spread is known, see below.
    assert 0.094 < falsely_decided(CONFIDENCE) < 0.17


def falsely_decided_exactly(looks: Sequence[int], error: float) -> float:
    """Return the chance that some look at the mean of normal values excludes zero.

    The density of the sum of those experiments that are still open is carried from look to look, as
    Armitage, McPherson and Rowe did in 1969.
    """
    places, share_there = np.zeros(1), np.ones(1)
    before = 0
    for look in looks:
        spread = math.sqrt(look - before)
        bound = -ndtri(error / 2) * math.sqrt(look)
        there, width = np.linspace(-bound, bound, 501, retstep=True)
        steps = (there[:, None] - places) / spread
        density = np.exp(-(steps**2) / 2) @ share_there / (spread * math.sqrt(2 * math.pi))
        weights = np.full(there.size, width)
        weights[[0, -1]] /= 2
        places, share_there, before = there, density * weights, look
    return float(1 - share_there.sum())


@pytest.mark.parametrize(
    ("looks", "error", "share"),
    [
        (planned_looks(5, 5), 0.05, 0.05),
        (LOOKS, 0.05, 0.113),
        (planned_looks(5, 50), 0.05, 0.159),
        (planned_looks(5, 50), 1 - confidence_at_a_look(5), 0.037),
        # At equal distances, the case that is found in books.
        (range(1, 3), 0.05, 0.083),
        (range(1, 4), 0.05, 0.107),
        (range(1, 5), 0.05, 0.126),
        (range(1, 6), 0.05, 0.142),
    ],
)
def test_looks_add_up_to_the_share_that_is_written(
    looks: Sequence[int], error: float, share: float
) -> None:
    assert falsely_decided_exactly(looks, error) == pytest.approx(share, abs=0.0005)


@pytest.mark.parametrize(("looks", "nominal"), [(2, 0.0294), (3, 0.0221), (4, 0.0182), (5, 0.0158)])
def test_a_look_is_stricter_than_those_of_pocock_which_know_the_dependence(
    looks: int, nominal: float
) -> None:
    # Pocock's levels make up for K looks at equal distances and no others.
    equal = range(1, looks + 1)
    assert falsely_decided_exactly(equal, nominal) == pytest.approx(0.05, abs=0.0002)
    share = 1 - confidence_at_a_look(looks)
    assert share == pytest.approx(0.05 / looks)
    assert 0.6 * nominal < share < nominal
    assert falsely_decided_exactly(equal, share) < 0.05


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

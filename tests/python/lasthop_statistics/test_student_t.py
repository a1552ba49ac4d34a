"""Student's t beside scipy's, and beside what is known in closed form."""

import math

import pytest
from scipy.special import stdtr, stdtrit  # type: ignore[import-untyped]

from lasthop.statistics.student_t import t_quantile, t_tail

# Those of few runs, of Welch, of many runs.
FREEDOMS = [
    1,
    1.01,
    1.7,
    2,
    2.5,
    3,
    4,
    4.37,
    9,
    29,
    30.5,
    99,
    199.5,
    200.5,
    999,
    1e4,
    12_345.6,
    1e6,
]
STATISTICS = [0.0, 1e-9, 1e-3, 0.1, 0.5, 1, 1.5, 1.96, 2.7, 5, 12.7, 37, 100]
CONFIDENCES = [0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999, 1 - 1e-6, 1 - 1e-9]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_the_tail_is_that_of_scipy(freedom: float) -> None:
    for statistic in STATISTICS:
        for signed in (statistic, -statistic):
            assert t_tail(signed, freedom) == pytest.approx(
                float(stdtr(freedom, -signed)), rel=1e-9, abs=1e-290
            )


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_the_quantile_is_that_of_scipy(freedom: float) -> None:
    for confidence in CONFIDENCES:
        expected = -float(stdtrit(freedom, (1 - confidence) / 2))
        assert t_quantile(freedom, confidence) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_with_one_degree_of_freedom_it_is_the_law_of_cauchy() -> None:
    for statistic in (1e-6, 0.3, 1.0, 40.0, 1e6):
        assert t_tail(statistic, 1) == pytest.approx(math.atan(1 / statistic) / math.pi, rel=1e-13)
    assert t_quantile(1, 0.95) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-13)


def test_with_two_degrees_of_freedom_it_has_a_closed_form() -> None:
    for statistic in (1e-6, 0.3, 1.0, 40.0, 1e6):
        root = math.sqrt(2 + statistic**2)
        expected = 1 / (root * (root + statistic))
        assert t_tail(statistic, 2) == pytest.approx(expected, rel=1e-13)


def test_the_quantile_of_a_tail_gives_the_tail_again() -> None:
    for freedom in FREEDOMS:
        for exponent in range(1, 16):
            tail = 10.0**-exponent
            reach = t_quantile(freedom, 1 - 2 * tail)
            assert t_tail(reach, freedom) == pytest.approx((1 - (1 - 2 * tail)) / 2, rel=1e-10)


def test_an_interval_of_all_confidence_has_no_end() -> None:
    assert t_quantile(4, 1.0) == math.inf
    assert t_tail(math.inf, 4) == 0
    assert t_tail(-math.inf, 4) == 1

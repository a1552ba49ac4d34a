"""How numbers are written."""

import math

import pytest

from lasthop.answer.quantities import format_change, format_quantity, format_range
from lasthop.statistics.intervals import interval


def plain(text: str) -> str:
    """Write a text with plain spaces and signs."""
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{EN DASH}", "-")


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0.0, "ms", "0 ms"),
        (0.25, "ms", "250 \N{MICRO SIGN}s"),
        (211.7, "ms", "212 ms"),
        (999.96, "ms", "1 s"),
        (90_000.0, "ms", "90 s"),
        (180_000.0, "ms", "3 min"),
        (1.0, "fraction", "100 %"),
        (0.99999, "fraction", "99.999 %"),
        (0.1, "fraction", "10 %"),
        (0.0004, "fraction", "0.04 %"),
        (6250.0, "B", "6.25 kB"),
        (50_000.0, "bit/s", "50 kbit/s"),
        (12.0, "count", "12"),
        (100, "packets", "100 packets"),
    ],
)
def test_a_quantity_has_a_suitable_unit_and_three_digits(
    value: float, unit: str, written: str
) -> None:
    assert plain(format_quantity(value, unit)) == written


def test_a_ratio_below_one_is_never_written_as_a_hundred_percent() -> None:
    assert plain(format_quantity(0.9999999, "fraction")) != "100 %"


def test_an_infinite_quantity_is_named_not_printed() -> None:
    assert format_quantity(math.inf, "ms", missing="not reached") == "not reached"


def test_a_range_shares_one_unit() -> None:
    assert plain(format_range(interval([900.0, 1100.0]), "ms")) == "0.9 - 1.1 s"


def test_a_range_with_an_infinite_end_names_it() -> None:
    written = format_range(interval([900.0, math.inf]), "ms", missing="not reached")
    assert plain(written) == "900 ms - not reached"


def test_a_change_above_threefold_is_a_factor() -> None:
    assert plain(format_change(3.5)) == "4.5 \N{MULTIPLICATION SIGN}"


def test_a_change_too_small_to_write_has_no_sign() -> None:
    assert plain(format_change(0.0001)) == "0 %"

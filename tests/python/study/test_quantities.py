"""Quantities are exact in base units, and are written back short."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasthop.study.fields.quantity import (
    ARRIVALS,
    DECIBEL,
    FRACTION,
    FREQUENCY,
    KINDS,
    LENGTH,
    POWER_LEVEL,
    RATE,
    SIZE,
    TIME,
    Kind,
    format_quantity,
    parse,
)
from lasthop.study.text.faults import Fault


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("250 ms", TIME, 250_000_000),
        ("250ms", TIME, 250_000_000),
        ("+1.5 s", TIME, 1_500_000_000),
        (".5 us", TIME, 500),
        ("5 min", TIME, 300 * 10**9),
        ("0 s", TIME, 0),
        ("409 B", SIZE, 409),
        ("16 kB", SIZE, 16_000),
        ("1 KiB", SIZE, 1024),
        ("6.25 kB/s", RATE, 50_000),
        ("50 kbit/s", RATE, 50_000),
        ("10 %", FRACTION, Decimal("0.1")),
        ("0.1 %", FRACTION, Decimal("0.001")),
        ("100 %", FRACTION, 1),
        ("154 dB", DECIBEL, 154),
        ("-4 dB", DECIBEL, -4),
        ("-127.5 dBm", POWER_LEVEL, Decimal("-127.5")),
        ("1.732 km", LENGTH, 1732),
        ("3.75 kHz", FREQUENCY, 3750),
        ("900 MHz", FREQUENCY, 900 * 10**6),
        ("0.5 /s", ARRIVALS, 1800),
        ("30/min", ARRIVALS, 1800),
    ],
)
def test_a_quantity_is_exact_in_base_units(text: str, kind: Kind, amount: Decimal) -> None:
    assert parse(text, kind) == amount


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("0.5 ns", TIME),
        ("1.5 B", SIZE),
        ("0.1 bit/s", RATE),
        ("ten ms", TIME),
        ("1,5 s", TIME),
        ("1 2 s", TIME),
        ("--1 s", TIME),
        ("", TIME),
        ("٣ s", TIME),
        ("1" * 50 + " s", TIME),
        ("1 " + "s" * 1000, TIME),
        ("-401 dB", DECIBEL),
        ("-1 m", LENGTH),
        ("46", POWER_LEVEL),
        ("40 W", POWER_LEVEL),
        ("2 Hz", ARRIVALS),
        (None, TIME),
        (True, TIME),
        ([], SIZE),
        ({}, SIZE),
    ],
)
def test_what_is_no_quantity_is_refused_with_a_remedy(text: object, kind: Kind) -> None:
    with pytest.raises(Fault) as caught:
        parse(text, kind)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "remedies"),
    [
        ("1 bps", ('"1 bit/s"', '"1 B/s"')),
        ("50 kbps", ('"50 kbit/s"', '"50 kB/s"')),
        ("50 Kbps", ('"50 kbit/s"', '"50 kB/s"')),
        ("2 Mbps", ('"2 Mbit/s"', '"2 MB/s"')),
        ("2 kb/s", ('"2 kbit/s"', '"2 kB/s"')),
    ],
)
def test_a_rate_that_can_be_read_in_two_ways_names_both(
    text: str, remedies: tuple[str, str]
) -> None:
    with pytest.raises(Fault) as caught:
        parse(text, RATE)
    assert all(remedy in str(caught.value.hint) for remedy in remedies)


@pytest.mark.parametrize(
    ("text", "kind", "right"),
    [
        ("3 seconds", TIME, '"3 s"'),
        ("3 µs", TIME, '"3 us"'),
        ("3 MS", TIME, '"3 ms"'),
        ("3 bytes", SIZE, '"3 B"'),
        ("3 percent", FRACTION, '"3 %"'),
        ("3 m", TIME, '"3 min"'),
        ("3 dBi", DECIBEL, '"3 dB"'),
    ],
)
def test_another_name_of_a_unit_is_refused_with_ours(text: str, kind: Kind, right: str) -> None:
    with pytest.raises(Fault) as caught:
        parse(text, kind)
    assert right in str(caught.value.hint)


@given(kind=st.sampled_from(KINDS), amount=st.integers(min_value=0, max_value=10**9))
def test_what_we_write_reads_back_as_the_same(kind: Kind, amount: int) -> None:
    scaled = Decimal(amount) / 10**9 if kind is FRACTION else min(Decimal(amount), kind.maximum)
    assert parse(format_quantity(scaled, kind), kind) == scaled
    assert parse(format_quantity(scaled, kind, space=""), kind) == scaled


@given(text=st.text(max_size=30), kind=st.sampled_from(KINDS))
def test_any_text_is_a_quantity_or_a_fault(text: str, kind: Kind) -> None:
    try:
        amount = parse(text, kind)
    except Fault as fault:
        amount = Decimal(0 if fault.hint else -1)
    assert (-kind.maximum if kind.signed else 0) <= amount <= kind.maximum


@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ("7200 /h", ARRIVALS, "2 /s"),
        ("0.5 /s", ARRIVALS, "0.5 /s"),
        ("7 /h", ARRIVALS, "7 /h"),
        ("1500 m", LENGTH, "1500 m"),
        ("2000 m", LENGTH, "2 km"),
        ("-4 dB", DECIBEL, "-4 dB"),
    ],
)
def test_we_write_the_unit_that_reads_best(text: str, kind: Kind, written: str) -> None:
    assert format_quantity(parse(text, kind), kind) == written

"""Golden invoices: what each shipped tariff costs a device that reports each hour, by hand.

A month is 30.4375 days, so it has 24 x 30.4375 = 730.5 reports of 100 B up and 60 B down:
730.5 x 160 B = 116,880 B. A year has twelve of them, 1,402,560 B.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lasthop.study.fleet.tariff_presets import tariff_presets

from .conftest import Lasthop
from .invoices import hourly

MONTH = 116_880


@dataclass(frozen=True)
class Invoice:
    """What a tariff bills: bytes of a month, and money of a year."""

    tariff: str
    billed: float
    year: float


INVOICES = {
    # A session that stays open is rounded once: 116,880 B are 117 kB.
    # 12 x 1.00 USD + 12 x 0.117 MB x 0.03 USD = 12.04212 USD.
    "hologram": Invoice("hologram", 117_000, 12 + 12 * 0.117 * 0.03),
    # A session for each report: 730.5 x 1 kB = 730.5 kB. 12 + 12 x 0.7305 x 0.03 = 12.26298 USD.
    "hologram, a session for each report": Invoice(
        "{like: hologram, session: 30 s}", 730_500, 12 + 12 * 0.7305 * 0.03
    ),
    # Nothing is rounded. 1.40256 MB a year use 500 MB up in 356 years, so the term of ten decides:
    # 12 EUR / 10 = 1.20 EUR.
    "1nce_1": Invoice("1nce_1", MONTH, 1.20),
    # The open session is rounded once a month: 117 kB, 1.404 MB a year: 1.20 EUR.
    "1nce_2": Invoice("1nce_2", 117_000, 1.20),
    # 730.5 kB a month are 8.766 MB a year, 87.66 MB in ten years: still 1.20 EUR.
    "1nce_2, a session for each report": Invoice("{like: 1nce_2, session: 30 s}", 730_500, 1.20),
    # 54 B of headers a packet: (154 + 114) x 730.5 = 195,774 B, two steps of 102,400 B are
    # 204,800 B = 0.1953125 MiB. 365.25 x 0.06 + 12 x 0.1953125 x 0.50 = 21.915 + 1.171875 USD.
    "soracom_plan01s_us": Invoice("soracom_plan01s_us", 204_800, 21.915 + 1.171875),
    # 195,774 B are 192 KiB = 196,608 B = 0.1875 MiB. 12 x 0.40 + 12 x 0.1875 x 0.50 = 5.925 USD.
    "soracom_plan_us": Invoice("soracom_plan_us", 196_608, 4.80 + 1.125),
    # 1,402,560 B a year are 15 increments of 100 kB: 1.5 MB x 0.10 = 0.15; 12 x 2.00 = 24 USD.
    # A month's part of them is 1,500,000 / 12 = 125,000 B.
    "twilio_programmable_wireless": Invoice("twilio_programmable_wireless", 125_000, 24 + 0.15),
    # 12 x 2.00 + 1.40256 MB x 0.078 = 24.10939968 USD.
    "telnyx_us": Invoice("telnyx_us", MONTH, 24 + 1.40256 * 0.078),
    # 1.40256 MB x 0.0025 = 0.0035064 EUR.
    "onomondo": Invoice("onomondo", MONTH, 1.40256 * 0.0025),
    # A record each 24 h: 24 x 160 B = 3,840 B are 4 kB. 30.4375 x 4,000 B = 121,750 B;
    # 1.461 MB a year x 0.40 = 0.5844 EUR.
    "emnify": Invoice("{like: emnify, price: 0.40 EUR/MB}", 121_750, 1.461 * 0.40),
    # A record each 6 h: 6 x 160 B = 960 B are 1 kB. 4 x 30.4375 x 1,000 B = 121,750 B;
    # 12 + 1.461 x 0.40 = 12.5844 EUR.
    "olivia_wireless": Invoice(
        "{like: olivia_wireless, price: 0.40 EUR/MB}", 121_750, 12 + 1.461 * 0.40
    ),
    # Both packets are above 50 B: 1.40256 MB x 100 = 140.256 USD.
    "skylo_monogoto": Invoice("{like: skylo_monogoto, price: 100 USD/MB}", MONTH, 140.256),
    # 3 MB of 1024 a month are 0.1115 MiB too little to pay for: 42.40 x 12 = 508.80 MXN.
    "an included volume": Invoice(
        "{fee: 42.40 MXN/month, included: 3 MiB/month, price: 20 MXN/MiB}", MONTH, 508.80
    ),
    # 0.1 MB are included: 0.01688 MB x 12 x 2 = 0.40512 EUR, and 12 EUR.
    "more than an included volume": Invoice(
        "{fee: 1 EUR/month, included: 0.1 MB/month, price: 2 EUR/MB}", MONTH, 12 + 0.40512
    ),
    # Up alone: 730.5 x 100 B = 73,050 B.
    "packets of the device alone": Invoice("{price: 1 EUR/MB, counts: up}", 73_050, 0.8766),
    # Each day 3,840 B are 5,000 B: 152,187.5 B a month, 1.82625 MB a year.
    "rounded each day": Invoice(
        "{price: 1 EUR/MB, rounding: {step: 5 kB, per: day}}", 152_187.5, 1.82625
    ),
    # 128 + 64 B for each report: 140,256 B a month, 1.683072 MB a year.
    "rounded each packet": Invoice(
        "{price: 1 EUR/MB, rounding: {step: 64 B, per: packet}}", 140_256, 1.683072
    ),
    # A started minute for each session of 1 s: 730.5 x 12 x 0.01 = 87.66 EUR.
    "minutes of sessions": Invoice("{minute: 0.01 EUR/min, session: 30 s}", MONTH, 87.66),
}


def bill_of(lasthop: Lasthop, tariff: str, span: str = "10 d") -> dict[str, Any]:
    """Give the bill of the capture in the folder."""
    done = lasthop("ledger", "hourly.pcap", "--tariff", tariff, "--span", span, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    bill: dict[str, Any] = json.loads(done.stdout)["bill"]
    return bill


@pytest.mark.parametrize("name", INVOICES)
def test_an_invoice_is_that_computed_by_hand(lasthop: Lasthop, name: str) -> None:
    hourly(lasthop.folder)
    invoice = INVOICES[name]
    bill = bill_of(lasthop, invoice.tariff)
    (sim,) = bill["sims"]
    assert sim["billed_bytes_per_month"] == pytest.approx(invoice.billed, rel=1e-9)
    assert bill["cost_per_year"] == pytest.approx(invoice.year, rel=1e-9)
    parts = sum(part["billed_bytes_per_month"] for part in bill["by_cause"])
    assert parts == pytest.approx(invoice.billed, rel=1e-9), "every billed byte has a cause"


def test_every_preset_has_an_invoice() -> None:
    assert set(tariff_presets()) <= set(INVOICES)


def test_170_bytes_a_report_cost_twice_what_160_do(lasthop: Lasthop) -> None:
    # 6 x 170 B = 1,020 B are 2 kB, and 6 x 160 B = 960 B are 1 kB.
    hourly(lasthop.folder, up=110)
    bill = bill_of(lasthop, "{like: olivia_wireless, price: 0.40 EUR/MB}")
    assert bill["sims"][0]["billed_bytes_per_month"] == pytest.approx(243_500)


def test_a_month_is_extrapolated_from_what_was_seen(lasthop: Lasthop) -> None:
    hourly(lasthop.folder, hours=25)
    done = lasthop("ledger", "hourly.pcap", "--tariff", "telnyx_us", "--json")
    bill = json.loads(done.stdout)["bill"]
    # 25 reports in 24 h and 1 s.
    assert bill["extrapolated_from_s"] == pytest.approx(86_401)
    expected = 25 * 160 * 30.4375 * 86_400 / 86_401
    assert bill["sims"][0]["bytes_per_month"] == pytest.approx(expected)


def test_the_bill_is_printed_below_the_ledger(lasthop: Lasthop) -> None:
    hourly(lasthop.folder)
    done = lasthop("ledger", "hourly.pcap", "--tariff", "twilio_programmable_wireless")
    assert done.returncode == 0
    assert "check the price: it was trusted until 2024-11-30" in done.stdout
    assert any(line.startswith("rounding ") for line in done.stdout.splitlines())
    assert max(map(len, done.stdout.splitlines())) <= 200


REFUSED = {
    "a time that is too short": (
        ("--tariff", "hologram", "--span", "1 h"),
        "lasthop: --span: the capture lasts 860401.000 s; write at least that, or remove --span\n",
    ),
    "a time without a tariff": (
        ("--span", "1 d"),
        "lasthop: --span: it has no effect without --tariff; add --tariff NAME\n",
    ),
    "a cloud, which a capture does not show": (
        ("--tariff", "{cloud: aws_iot_core}"),
        (
            "lasthop: --tariff: a capture does not show what a cloud counts; remove cloud, or "
            "write the tariff in a study\n"
        ),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_bill_is_refused(lasthop: Lasthop, case: str) -> None:
    hourly(lasthop.folder)
    arguments, message = REFUSED[case]
    done = lasthop("ledger", "hourly.pcap", *arguments)
    assert (done.returncode, done.stderr) == (2, message)


def test_a_capture_without_ip_has_no_bill(lasthop: Lasthop) -> None:
    file = hourly(lasthop.folder, hours=1)
    content = file.read_bytes()
    # An Ethernet frame of ARP: 12 B of addresses, the type 0x0806 and 28 B.
    arp = bytes(12) + b"\x08\x06" + bytes(28)
    record = bytes(8) + len(arp).to_bytes(4, "little") * 2 + arp
    Path(lasthop.folder, "arp.pcap").write_bytes(content[:20] + b"\x01\0\0\0" + record)
    done = lasthop("ledger", "arp.pcap", "--tariff", "hologram")
    assert done.returncode == 2
    assert done.stderr == (
        "lasthop: --tariff: the capture has no IP packet, so there is nothing to bill; capture "
        "where the device sends IP\n"
    )

"""Tariffs of a study: presets, tariffs of one's own, and what is refused in one line."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest

from lasthop.study.fleet.tariff import TariffForm
from lasthop.study.fleet.tariff_presets import tariff_presets

from .conftest import Load

SHORT = """\
study: a
duration: 1 d
devices: 3
traffic: {report: 72 B, every: 1 h}
stacks: [raw_udp]
"""
FLEET = """\
study: a
duration: 1 d
fleet:
  meters: {count: 30, simulate: 3}
  trackers: {count: 3}
traffic:
  index: {from: meters, report: 72 B, every: 1 h}
  position: {from: trackers, report: 40 B, every: 10 min}
stacks: [raw_udp]
"""

REFUSED = {
    "a name that is unknown": (
        "tariff: holo",
        '*tariff: there is no tariff "holo"; did you mean "hologram"?',
    ),
    "a rounding below zero": (
        "tariff: {like: hologram, rounding: {step: -1 kB, per: session}}",
        '*tariff.rounding.step: "-1 kB" is negative; write "0 kB" or more',
    ),
    "a step of nothing": (
        "tariff: {like: hologram, rounding: {step: 0 kB, per: session}}",
        '*tariff.rounding.step: "0 kB" is too small; write for example "1 kB"',
    ),
    "two currencies": (
        "tariff: {fee: 1 EUR/month, price: 2 USD/MB}",
        "*tariff.price: price is in USD and fee in EUR; write all prices in EUR",
    ),
    "a cloud in another currency": (
        "tariff: {fee: 1 EUR/month, cloud: aws_iot_core}",
        "*tariff.cloud*: cloud.message is in USD and fee in EUR; write all prices in EUR",
    ),
    "an included volume without a price": (
        "tariff: {fee: 1 EUR/month, included: 5 MB/month}",
        "*tariff.included: a volume is included, but what is beyond it has no price; write *",
    ),
    "a preset whose price is not public": (
        "tariff: {like: olivia_wireless}",
        '*tariff: the price of a MB of "olivia_wireless" is not public; write the price *',
    ),
    "a tariff without any price": ("tariff: {counts: up}", "*the tariff has no price; write *"),
    "a price of nothing in particular": (
        "tariff: {price: 0.5 EUR}",
        '*tariff.price: "0.5 EUR" does not say what it is for; write one of /kB, *',
    ),
    "a negative price": ("tariff: {price: -1 EUR/MB}", '*"-1 EUR/MB" is negative; write *'),
    "a currency in small letters": (
        "tariff: {fee: 1 eur/month}",
        '*tariff.fee: "eur" is not a currency; write three capital letters, *',
    ),
    "a record that nothing rounds": (
        "tariff: {fee: 1 EUR/month, record: 6 h}",
        '*tariff.record: "record" has no effect: sessions are not rounded; remove it, *',
    ),
    "the end of a session that nobody bills": (
        "tariff: {fee: 1 EUR/month, session: 30 s}",
        '*tariff.session: "session" has no effect: *; remove it, *',
    ),
    "a day that is none": (
        "tariff: {fee: 1 EUR/month, expires: 2026-13-01}",
        '*tariff.expires: "2026-13-01" is not a day; write year, month and day, *',
    ),
    "a volume that is paid twice": (
        "tariff: {price: 1 EUR/MB, prepaid: {fee: 12 EUR, volume: 500 MB, years: 10}}",
        '*tariff.price: a volume is paid once, and each byte has a price in "price"; remove *',
    ),
    "a cost without a tariff": (
        "decide: {minimise: cost_per_year}",
        "*decide.minimise: cost_per_year cannot be calculated: the study has no tariff; write *",
    ),
    "a cost below the fees": (
        (
            "tariff: hologram\nexpect: [cost_per_year <= 12 USD]\n"
            "decide: {minimise: cost_per_year, require: [cost_per_year <= 11.99 USD]}"
        ),
        (
            "*decide.require: no stack can meet this: the fees of a SIM alone are 12.00 USD a "
            "year; write a limit above 12.00 USD, or a tariff with lower fees"
        ),
    ),
    "a cost in another currency": (
        "tariff: hologram\nexpect: [cost_per_year <= 12 EUR]",
        "*expect: the expression is in EUR, and the tariff is in USD; write the amount in USD",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_tariff_can_be_is_refused(case: str, refused: Callable[[str, str], None]) -> None:
    written, message = REFUSED[case]
    refused(f"{SHORT}{written}\n", message)


def test_devices_that_come_and_go_have_no_tariff(refused: Callable[[str, str], None]) -> None:
    text = SHORT.replace("devices: 3", "devices: {arrive: 1 /s}").replace(", every: 1 h", "")
    refused(
        f"{text}path: {{nbiot: {{deployment: {{cells: 3}}}}}}\ntariff: hologram\n",
        "*tariff: devices that come and go cannot have a tariff; remove it, *",
    )


def test_two_groups_have_one_currency(refused: Callable[[str, str], None]) -> None:
    text = FLEET.replace("count: 3}", "count: 3, tariff: 1nce_1}") + "tariff: hologram\n"
    refused(text, "*fleet.trackers.tariff: the tariff is in EUR, and another *; write all *")


def test_two_points_have_one_currency(refused: Callable[[str, str], None]) -> None:
    sweep = "sweep: [{name: tariffs, tariff: [hologram, 1nce_1]}]\n"
    refused(SHORT + sweep, "*the tariff is in EUR, and another one of the study is in USD; *")


def groups_of(study: Any) -> dict[str, Any]:  # noqa: ANN401
    spec = json.loads(next(iter(study.planned_runs())).spec_json)
    return {group["name"]: group for group in spec["groups"]}


def test_every_default_is_in_the_run_spec(load: Load) -> None:
    written = load(f"{SHORT}tariff: {{fee: 1 EUR/month, price: 0.5 EUR/MB}}\n")
    assert groups_of(written)["device"]["tariff"] == {
        "fee_per_year": 12.0,
        "data": {
            "counts_up_only": False,
            "packet_extra_bytes": 0,
            "packet_minimum_bytes": 0,
            "rounding": None,
            "session_idle_ns": None,
            "record_ns": None,
            "record_bytes": None,
            "price_per_byte": 5e-7,
            "price_per_minute": 0.0,
            "included_bytes_per_month": 0.0,
            "prepaid": None,
        },
        "cloud": None,
    }


def test_without_a_tariff_the_run_spec_is_as_before(load: Load) -> None:
    assert "tariff" not in groups_of(load(SHORT))["device"]


def test_a_group_without_its_own_tariff_has_that_of_the_study(load: Load) -> None:
    text = FLEET.replace("count: 3}", "count: 3, tariff: telnyx_us}") + "tariff: hologram\n"
    groups = groups_of(load(text))
    assert groups["meters"]["tariff"]["fee_per_year"] == 12.0
    assert groups["trackers"]["tariff"]["fee_per_year"] == 24.0


def test_a_tariff_is_swept(load: Load) -> None:
    study = load(f"{SHORT}sweep: [{{name: tariffs, tariff: [hologram, telnyx_us]}}]\n")
    fees = [point.conditions["groups"][0]["tariff"]["fee_per_year"] for point in study.points]
    assert fees == [12.0, 24.0]


def test_who_writes_prices_of_his_own_is_not_told_of_those_of_the_preset(load: Load) -> None:
    (own,) = load(f"{SHORT}tariff: {{like: hologram, price: 0.02 USD/MB}}\n").tariffs
    (shipped,) = load(f"{SHORT}tariff: hologram\n").tariffs
    assert (own["source"], own["expires"]) == (None, None)
    assert all(shipped[key] for key in ("source", "expires"))


OWN_PRICE = {"emnify", "olivia_wireless", "skylo_monogoto"}


@pytest.mark.parametrize("name", tariff_presets())
def test_every_preset_has_a_source_a_date_and_an_expiry(name: str) -> None:
    preset = tariff_presets()[name]
    assert all(text.strip() for text in (preset.source, preset.comment))
    assert dt.date.fromisoformat(preset.date) < dt.date.fromisoformat(preset.expires)
    own = {"like": name, "price": "0.40 EUR/MB"} if name in OWN_PRICE else name
    assert TariffForm.model_validate(own).like == name


@pytest.mark.parametrize("name", tariff_presets("clouds"))
def test_every_cloud_has_a_source_a_date_and_an_expiry(name: str) -> None:
    preset = tariff_presets("clouds")[name]
    assert all(text.strip() for text in (preset.source, preset.comment))
    assert dt.date.fromisoformat(preset.date) < dt.date.fromisoformat(preset.expires)
    assert TariffForm.model_validate({"cloud": name}).currency == "USD"

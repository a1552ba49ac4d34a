"""A WLAN as a path: its defaults are those of the standards; one that cannot be gets one line."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import Load

HEAD = """\
study: a
duration: 1 min
traffic: {report: 25 B, every: 1 s}
devices: 3
stacks: [raw_udp]
path:
"""
CELL = "{name: air, wlan: {standard: b, rate: RATE}}"
TWO_PATHS = f"""\
study: a
duration: 1 min
paths:
  near: [{CELL.replace("RATE", "11 Mbit/s")}]
  far: [{CELL.replace("RATE", "1 Mbit/s")}]
servers: {{server: {{}}}}
fleet:
  fast: {{count: 3, path: near, server: server, stack: raw_udp}}
  slow: {{count: 1, path: far, server: server, stack: raw_udp}}
traffic:
  f: {{from: fast, report: 25 B, every: 1 s}}
  s: {{from: slow, report: 25 B, every: 1 s}}
"""

# What stands below "path:", then the message after "study.yaml:7:"; a star stands for anything.
CASES = {
    "a rate of another standard": (
        "wlan: {standard: b, rate: 54 Mbit/s}",
        (
            "7:29: path.wlan.rate: 54 Mbit/s is not a rate of 802.11b; write one of 1 "
            "Mbit/s, 2 Mbit/s, 5.5 *"
        ),
    ),
    "acknowledgements at no basic rate": (
        "wlan: {standard: g, ack_rate: 54 Mbit/s}",
        (
            "7:33: path.wlan.ack_rate: 54 Mbit/s is not a rate of acknowledgements; write "
            "one of 6 Mbit/s, *"
        ),
    ),
    "a short preamble of OFDM": (
        "wlan: {standard: g, preamble: short}",
        (
            "7:23: path.wlan.preamble: the preamble cannot be chosen in 802.11g; remove it, or "
            'write "standard: b"'
        ),
    ),
    "a window that is none": (
        "wlan: {standard: g, cw_min: 30}",
        (
            "7:31: path.wlan.cw_min: 30 is not a contention window, which is a power of two "
            "minus 1; write 31"
        ),
    ),
    "windows the wrong way round": (
        "wlan: {standard: b, cw_max: 15}",
        ('*cw_max: cw_min 31 is larger than cw_max 15; write "cw_max: 31" or more'),
    ),
    "a window of the access point": (
        "wlan: {standard: b, access_point: {cw_max: 15}}",
        "*path.wlan.access_point.cw_max: cw_min 31 is larger *",
    ),
    "no transmission": ("wlan: {retry_limit: 0}", "*path.wlan.retry_limit: *"),
    "an unknown standard": ("wlan: {standard: ac}", "*path.wlan.standard: *"),
    "a rate without a unit": ("wlan: {rate: 11}", "*path.wlan.rate: *"),
    "loss beside it": (
        "wlan: {standard: g}\n  loss: 1 %",
        (
            '8:3: path.loss: a WLAN cannot have the link key "loss"; write a list of hops, for '
            "example *"
        ),
    ),
    "by its other name": (
        "wifi: {standard: g}",
        '*unknown key "wifi"; write "wlan: {standard: g}", or "profile: wifi_good"',
    ),
    "behind another hop": (
        "- {delay: 10 ms}\n  - {wlan: {standard: g}}",
        (
            "8:6: path.wlan: a WLAN must be the first hop of a path, because the radio is in "
            "the device; *"
        ),
    ),
}


def wlan_of(load: Load, wlan: str) -> dict[str, Any]:
    spec = json.loads(next(load(f"{HEAD}  wlan: {wlan}\n").planned_runs()).spec_json)
    (hop,) = spec["paths"]["path"]["hops"]
    assert hop["scope"] == "all"
    found: dict[str, Any] = hop["wlan"]
    return found


@pytest.mark.parametrize(("below", "expected"), CASES.values(), ids=CASES)
def test_a_wlan_that_cannot_be_gets_one_line(
    below: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(f"{HEAD}  {below}\n", expected)


def test_every_default_is_that_of_the_standard(load: Load) -> None:
    b = wlan_of(load, "{standard: b}")
    side = {"cw_min": 31, "cw_max": 1023, "queue": {"packets": 100}}
    assert b["cell"] == {
        "slot_ns": 20_000,
        "sifs_ns": 10_000,
        "difs_ns": 50_000,
        "eifs_ns": 364_000,
        "overhead_bytes": 52,
        "ack_bytes": 14,
        "retry_limit": 7,
        "station": side,
        "access_point": side,
    }
    dsss = {"preamble_ns": 192_000, "bits_per_second": 11_000_000}
    assert b["station"]["data"] == {"dsss": dsss}
    assert b["station"]["ack"] == {"dsss": {**dsss, "bits_per_second": 2_000_000}}
    n = wlan_of(load, "{standard: n, security: open}")
    assert n["cell"]["difs_ns"] == 10_000 + 3 * 9_000
    assert n["cell"]["eifs_ns"] == n["cell"]["difs_ns"] + 10_000 + 50_000
    assert n["cell"]["overhead_bytes"] == 38
    assert n["station"]["data"]["ofdm"]["data_bits_per_symbol"] == 260
    assert n["station"]["data"]["ofdm"]["preamble_ns"] == 36_000
    assert n["station"]["ack"]["ofdm"]["data_bits_per_symbol"] == 96
    assert wlan_of(load, "{standard: a}")["station"]["data"]["ofdm"]["extension_ns"] == 0


def test_what_is_written_takes_the_place_of_a_default(load: Load) -> None:
    wlan = wlan_of(
        load,
        "{standard: b, rate: 1 Mbit/s, preamble: short, frame_loss: 5 %, eifs: off, slot: 9 us, "
        "aifsn: 3, cw_min: 15, access_point: {queue: 30 kB}}",
    )
    cell, station = wlan["cell"], wlan["station"]
    assert cell["difs_ns"] == cell["eifs_ns"] == 10_000 + 3 * 9_000
    assert cell["access_point"] == {"cw_min": 15, "cw_max": 1023, "queue": {"bytes": 30_000}}
    assert station["data"]["dsss"] == {"preamble_ns": 192_000, "bits_per_second": 1_000_000}
    assert station["frame_loss"] == 0.05


def test_stations_of_one_cell_have_rates_of_their_own(
    load: Load, refused: Callable[[str, str], None]
) -> None:
    spec = json.loads(next(load(TWO_PATHS).planned_runs()).spec_json)
    near, far = (spec["paths"][name]["hops"][0] for name in ("near", "far"))
    assert near["name"] == far["name"] == "air"
    assert near["wlan"]["cell"] == far["wlan"]["cell"]
    assert near["wlan"]["station"] != far["wlan"]["station"]
    other = TWO_PATHS.replace("rate: 1 Mbit/s", "rate: 1 Mbit/s, cw_min: 15")
    refused(
        other,
        (
            '5:27: paths.far.wlan: the WLAN "air" has different settings on another '
            "path; write the same *"
        ),
    )

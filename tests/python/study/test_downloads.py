"""Files that devices fetch, as a study says them, and what of them cannot be."""

import json
from collections.abc import Callable

import pytest

from lasthop.study import Study

STUDY = """\
study: files
duration: 1 h
measure: {drain: 1 min}
stacks: [coap, mqtt qos=1]
fleet: {meters: {count: 50, path: link}}
paths: {link: [{scope: group, rate: 1 Mbit/s}]}
traffic:
  firmware: {to: 20 % of meters, download: 300 kB, start: 10 min}
"""


def test_a_file_is_fetched_once_in_what_is_left_of_the_run(load: Callable[..., Study]) -> None:
    spec = json.loads(next(load(STUDY).planned_runs()).spec_json)
    (flow,) = spec["flows"]
    left = 50 * 60 * 10**9
    assert (flow["kind"], flow["share"], flow["start_ns"]) == ("download", 0.2, 600 * 10**9)
    assert flow["arrivals"] == {"periodic": {"every_ns": left}}
    assert flow["duration_ns"] == left


def test_a_quick_look_begins_in_its_middle(load: Callable[..., Study]) -> None:
    spec = json.loads(next(load(STUDY, quick=True).planned_runs()).spec_json)
    (flow,) = spec["flows"]
    assert (flow["start_ns"], flow["duration_ns"]) == (30 * 10**9, 30 * 10**9)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "300 kB",
            "40 MB",
            (
                "8:44: traffic.firmware.download: a download of 40 MB takes longer than "
                "the run, because the *"
            ),
        ),
        (
            "coap, mqtt qos=1",
            "coap, json_udp",
            (
                "8:44: traffic.firmware.download: json_udp sends each message in one "
                "unfragmented datagram, and *"
            ),
        ),
        (
            "  firmware",
            "  index: {from: meters, report: 9 B, every: 1 min, session: per_message}\n  firmware",
            "9:3: traffic.firmware: download with session: per_message over MQTT is not *",
        ),
        ("300 kB", "300", "8:*: traffic.firmware.download: *"),
    ],
)
def test_what_no_run_carries_is_said_beforehand(
    old: str, new: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(STUDY.replace(old, new, 1), expected)


def test_one_datagram_carries_a_small_file(load: Callable[..., Study]) -> None:
    for size, stack in (("1472 B", "raw_udp"), ("1452 B", "raw_udp ip.version=6")):
        small = STUDY.replace("300 kB", size).replace("mqtt qos=1", stack)
        assert len(list(load(small).planned_runs())) > 0


@pytest.mark.parametrize(
    ("size", "stack", "room"),
    [("1473 B", "raw_udp", 1472), ("1453 B", "raw_udp ip.version=6", 1452)],
)
def test_a_file_that_is_a_byte_too_large_for_the_path_is_refused_with_what_fits(
    size: str, stack: str, room: int, refused: Callable[[str, str], None]
) -> None:
    study = STUDY.replace("300 kB", size).replace("mqtt qos=1", stack)
    refused(
        study,
        "8:*: traffic.firmware.download: raw_udp sends each message in one "
        f'unfragmented datagram, and a download of * does not fit; write "{room} B" '
        "or less, or *",
    )


def test_json_readings_are_bundled_in_one_object(load: Callable[..., Study]) -> None:
    bundle = "\n  meters: {from: meters, report: {json: {a: 1}, size: 40 B}, every: 1 s, batch: 12}"
    text = STUDY.replace(STUDY.partition("traffic:")[2], bundle)
    spec = json.loads(next(load(text).planned_runs()).spec_json)
    (flow,) = spec["flows"]
    assert (flow["batch"], flow["payload"]) == (12, {"json": {"fields": '{"a":1}', "bytes": 40}})

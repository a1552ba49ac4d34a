"""`pause`: a closed loop in a study, and what is refused of it in one line."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import Load

HEAD = "study: a\nduration: 1 min\n"
STACKS = "stacks: [mqtt qos=1]\n"


def study(traffic: str, stacks: str = STACKS) -> str:
    return f"{HEAD}traffic: {{{traffic}}}\n{stacks}"


# Text of the study, then the message after "study.yaml:"; a star stands for anything.
CASES = {
    "beside an interval": (
        study("round_trip: 40 B, pause: 1 s, every: 1 s"),
        (
            '3:41: traffic.every: "pause" and "every" exclude each other: after a pause the next '
            "message waits for the last answer, and not for a schedule; remove one of the two"
        ),
    ),
    "beside arrivals": (
        study("round_trip: 40 B, pause: 1 s, arrivals: poisson"),
        '3:41: traffic.arrivals: "pause" and "arrivals" exclude each other: *',
    ),
    "beside a moment": (
        study('round_trip: 40 B, pause: 1 s, at: "06:30"'),
        '3:41: traffic.at: "pause" and "at" exclude each other: *',
    ),
    "beside a burst": (
        study("round_trip: 40 B, burst: 2, pause: 1 s"),
        '3:29: traffic.burst: "pause" and "burst" exclude each other: *',
    ),
    "beside a batch": (
        study("round_trip: 40 B, batch: 2, pause: 1 s"),
        '3:29: traffic.batch: "pause" and "batch" exclude each other: *',
    ),
    "no time": (
        study("round_trip: 40 B, pause: 0 s"),
        "3:36: traffic.pause: *",
    ),
    "a time to give up without it": (
        study("round_trip: 40 B, every: 1 s, give_up: 9 s"),
        (
            '3:41: traffic.give_up: "give_up" has an effect only with "pause"; remove it, or write '
            '"pause: 1 s" instead of "every"'
        ),
    ),
    "a number of messages without it": (
        study("round_trip: 40 B, every: 1 s, messages: 9"),
        '3:41: traffic.messages: "messages" has an effect only with "pause"; *',
    ),
    "no message": (
        study("round_trip: 40 B, pause: 1 s, messages: 0"),
        "3:51: traffic.messages: *",
    ),
    "a command": (
        study("command: 40 B, pause: 1 s"),
        (
            "3:26: traffic.pause: the sender of a command has no answer that a pause could follow; "
            'write "pull" instead of "command", or "every" instead of "pause"'
        ),
    ),
    "a report that nothing acknowledges": (
        study("report: 40 B, pause: 1 s", "stacks: [mqtt qos=0]\n"),
        (
            "3:25: traffic.pause: a report of mqtt is not acknowledged here, so no pause follows "
            'it; write qos=1, or "every" instead of "pause"'
        ),
    ),
    "one of non-confirmable CoAP": (
        study("report: 40 B, pause: 1 s", "stacks: [coap type=non]\n"),
        "3:25: traffic.pause: a report of coap is not acknowledged here, *; write type=con, or *",
    ),
    "one by plain datagrams": (
        study("report: 40 B, pause: 1 s", "stacks: [raw_udp]\n"),
        "3:25: traffic.pause: a report of raw_udp is not acknowledged here, *; write ack=on, or *",
    ),
    "one by JSON in datagrams": (
        study("report: 40 B, pause: 1 s", "stacks: [json_udp]\n"),
        '3:25: traffic.pause: *; write "round_trip" instead of "report", or *',
    ),
    "more messages than a run may have": (
        "study: a\nduration: 30 d\ntraffic: {round_trip: 40 B, pause: 10 ms}\n" + STACKS,
        (
            "3:36: traffic.pause: a device would send * messages, more than 16000000; write a "
            "longer pause"
        ),
    ),
    "neither": (
        study("round_trip: 40 B"),
        '3:10: traffic: the key "every" is missing; write "every: 250 ms"',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line_says_what_does_not_fit(case: str, refused: Callable[[str, str], None]) -> None:
    refused(*CASES[case])


def flow_of(load: Load, traffic: str, stacks: str = STACKS) -> dict[str, Any]:
    (flow,) = json.loads(next(load(study(traffic, stacks)).planned_runs()).spec_json)["flows"]
    return dict(flow)


def test_a_loop_is_told_to_the_simulator_with_what_was_not_written(load: Load) -> None:
    assert flow_of(load, "round_trip: 40 B, pause: 1 s")["arrivals"] == {
        "paused": {"pause_ns": 10**9, "give_up_ns": 90 * 10**9, "messages": None}
    }
    written = flow_of(load, "report: 40 B, pause: 2 s, give_up: 5 s, messages: 100")["arrivals"]
    assert written == {"paused": {"pause_ns": 2 * 10**9, "give_up_ns": 5 * 10**9, "messages": 100}}


@pytest.mark.parametrize("stack", ["http", "coap type=con", "raw_udp ack=on", "mqtt qos=2"])
def test_reports_that_are_acknowledged_have_a_pause(load: Load, stack: str) -> None:
    flow = flow_of(load, "report: 40 B, pause: 1 s", f"stacks: [{stack}]\n")
    assert "paused" in flow["arrivals"]


def test_devices_with_a_pause_start_together(load: Load) -> None:
    assert flow_of(load, "round_trip: 40 B, pause: 1 s")["spread_ns"] == 0

"""A server that forwards is a gateway: a server to its devices, and a device itself."""

import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study

Load = Callable[..., Study]

STUDY = """\
study: gateway
duration: 10 min
paths:
  radio: {loss: 1 %}
  wan: {delay: 60 ms}
servers:
  head_end: {}
  gateway: {forwards: {to: head_end, path: wan, stack: mqtt qos=1}}
fleet:
  sensors: {count: 20, path: radio, server: gateway, stack: raw_udp}
traffic:
  reading: {from: sensors, report: 24 B, every: 10 s}
"""


def spec_of(study: Study) -> dict[str, Any]:
    """Give the first run of a study."""
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def test_a_gateway_is_a_server_and_the_first_group(load: Load) -> None:
    spec = spec_of(load(STUDY))
    head_end, gateway = spec["servers"]
    assert gateway["forwards"] == {"by": "gateway", "batch": 1, "wait_ns": 0, "room": 10_000}
    assert [service["stack"] for service in gateway["services"]] == ["sensors"]
    assert "forwards" not in head_end
    assert head_end["services"] == [{"stack": "gateway", "port": 1883}]
    first, second = spec["groups"]
    assert first["name"] == "gateway"
    assert first["path"] == "wan"
    assert first["population"] == {"staying": {"devices": 1}}
    assert first["clients"] == [{"stack": "gateway", "server": "head_end"}]
    assert second["clients"] == [{"stack": "sensors", "server": "gateway"}]
    assert spec["flows"][0]["to"] == "gateway"


@pytest.mark.parametrize(
    ("written", "batch", "wait_s"),
    [
        ("batch: 12", 12, 10),
        ("batch: 12, wait: 1 min", 12, 60),
        ("wait: 30 s", 10_000, 30),
        ("wait: 30 s, room: 50", 50, 30),
        ("batch: 1", 1, 0),
    ],
)
def test_bundles_are_full_or_have_waited(load: Load, written: str, batch: int, wait_s: int) -> None:
    study = STUDY.replace("stack: mqtt qos=1}", f"stack: mqtt qos=1, {written}}}")
    forwards = spec_of(load(study))["servers"][1]["forwards"]
    assert (forwards["batch"], forwards["wait_ns"]) == (batch, wait_s * 10**9)


def test_how_a_gateway_forwards_can_be_swept(load: Load) -> None:
    study = STUDY + "sweep: [{name: size, servers.gateway.forwards.batch: [1, 12]}]\n"
    batches = {
        json.loads(run.spec_json)["servers"][1]["forwards"]["batch"]
        for run in load(study).planned_runs()
    }
    assert batches == {1, 12}


# What is replaced in the study, by what, and the message after "study.yaml:".
CASES = {
    "to itself": (
        "to: head_end",
        "to: gateway",
        "8:28: servers.gateway.forwards.to: gateway forwards to itself; known servers: head_end",
    ),
    "to another gateway": (
        "head_end: {}",
        "head_end: {forwards: {to: gateway, path: wan, stack: mqtt}}\n  end: {}",
        (
            "7:29: servers.head_end.forwards.to: head_end forwards to gateway, "
            "which is itself a gateway; known servers: end"
        ),
    ),
    "to nobody": (
        "to: head_end",
        "to: head_and",
        (
            '8:28: servers.gateway.forwards.to: there is no server "head_and"; '
            'did you mean "head_end"?'
        ),
    ),
    "an unknown path": (
        "path: wan",
        "path: van",
        '8:44: servers.gateway.forwards.path: there is no path "van"; did you mean "wan"?',
    ),
    "no path named where there are several": (
        "path: wan, ",
        "",
        (
            '8:23: servers.gateway.forwards: the key "path" is missing, and the '
            'study has 2 paths; write "path: radio"'
        ),
    ),
    "an unknown stack": (
        "stack: mqtt qos=1}",
        "stack: mqtd}",
        (
            '8:56: servers.gateway.forwards.stack: unknown stack "mqtd"; did you mean '
            '"mqtt"? "lasthop stacks" lists all stacks'
        ),
    ),
    "a batch of nothing": (
        "stack: mqtt qos=1}",
        "stack: mqtt, batch: 0}",
        '8:69: servers.gateway.forwards.batch: "0" is too small; write 1 or more',
    ),
    "a batch without room": (
        "stack: mqtt qos=1}",
        "stack: mqtt, batch: 12, room: 5}",
        (
            '8:79: servers.gateway.forwards.room: "room" holds 5 messages, fewer '
            'than a batch of 12; write "room: 12" or more'
        ),
    ),
    "one alone that waits": (
        "stack: mqtt qos=1}",
        "stack: mqtt, batch: 1, wait: 5 s}",
        (
            '8:72: servers.gateway.forwards.wait: "wait" has no effect with a '
            'batch of 1 message; remove it, or write a larger "batch"'
        ),
    ),
    "what comes back": (
        "report: 24 B",
        "round_trip: 24 B",
        (
            "12:3: traffic.reading: gateway forwards only reports, and this flow "
            'is a round_trip; write "report: 40 B", or choose a server without '
            '"forwards"'
        ),
    ),
    "nobody behind it": (
        "server: gateway",
        "server: head_end",
        (
            "8:3: servers.gateway: no flow sends reports to gateway, which forwards "
            'reports; add "to: gateway" to a flow, or remove the server'
        ),
    ),
    "a group of its name": (
        "sensors: {",
        "gateway: {",
        (
            '8:3: servers.gateway: "gateway" is the name of a group and of a server; '
            "rename one of them"
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_is_told_with_its_place(load: Load, case: str) -> None:
    before, after, message = CASES[case]
    assert before in STUDY
    with pytest.raises(StudyError) as caught:
        load(STUDY.replace(before, after))
    assert str(caught.value).partition("study.yaml:")[2] == message


def test_what_a_gateway_speaks_is_compared(load: Load) -> None:
    text = STUDY.replace(", stack: mqtt qos=1", "")
    compared = text + "compare: {servers.gateway.forwards.stack: [mqtt qos=1, coap]}\n"
    for written in (compared, text + "stacks: [mqtt qos=1, coap]\n"):
        runs = list(load(written).planned_runs())
        assert {run.stack for run in runs} == {"mqtt qos=1", "coap"}
        assert len({run.case_id for run in runs}) == 2


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            ", stack: mqtt qos=1",
            "",
            "8:13: servers.gateway.forwards: the stack is missing; write *",
        ),
        (
            "traffic:",
            "compare: {servers.gateway.forwards.stack: [mqtt, coap]}\ntraffic:",
            '8:49: *forwards.stack: the stack of "gateway" is also set under compare; *',
        ),
        (
            "traffic:",
            "sweep: [{name: up, servers.gateway.forwards.stack: [mqtt, coap]}]\ntraffic:",
            "11:20: *cannot be swept; write stacks under compare: *{servers.gateway.*",
        ),
    ],
)
def test_a_gateway_speaks_one_stack_or_several_in_turn(
    load: Load, old: str, new: str, expected: str
) -> None:
    with pytest.raises(StudyError) as refused:
        load(STUDY.replace(old, new, 1))
    assert fnmatchcase(str(refused.value), f"*:{expected.replace('[', '[[]')}")

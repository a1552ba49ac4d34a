"""Faults that are aimed at messages: what the run spec says of them, and which cannot be."""

import json
from collections.abc import Callable

import pytest

from lasthop import _native
from lasthop.errors import StudyError
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study

Load = Callable[..., Study]

STUDY = """\
study: aimed
duration: 2 min
fleet:
  meters: {count: 3, server: head_end, stack: coap}
  valves: {count: 2, server: head_end, stack: mqtt qos=1 keep_alive=20s}
servers: {head_end: {}}
traffic:
  index: {from: meters, report: 96 B, every: 10 s}
  state: {from: valves, report: 24 B, every: 10 s}
"""


def test_every_default_of_a_fault_is_written_out(load: Load) -> None:
    study = load(
        STUDY + "faults:\n"
        "  - {drop: coap.ack}\n"
        "  - {drop: mqtt.PUBLISH, share: 10 %, direction: up, of: valves}\n"
        "  - {cut_before: mqtt.puback, nth: 2}\n"
    )
    spec = json.loads(next(study.planned_runs()).spec_json)
    fault = {"kind": "drop", "message": "coap.ACK", "direction": None, "which": "all"}
    cut = {"kind": "cut_before", "message": "mqtt.PUBACK", "direction": None, "which": {"nth": 2}}
    some = {
        "kind": "drop",
        "message": "mqtt.PUBLISH",
        "direction": "up",
        "which": {"share": 0.1},
    }
    assert spec["faults"] == [
        {"of": None, "fault": fault},
        {"of": "valves", "fault": some},
        {"of": None, "fault": cut},
    ]
    assert study.conditions["faults"] == (
        "coap.ACK: lost (each); mqtt.PUBLISH up of valves: lost (10 %); "
        "mqtt.PUBACK: the connection cut before it (number 2 of each device)"
    )


def test_a_run_without_faults_says_nothing_of_them(load: Load) -> None:
    study = load(STUDY)
    assert "faults" not in json.loads(next(study.planned_runs()).spec_json)
    assert "faults" not in study.conditions


def test_a_connection_that_is_cut_delivers_at_least_once(load: Load) -> None:
    study = load(STUDY + "faults: [{cut_before: mqtt.PUBACK, nth: 2}]\n")
    tables = _native.simulate(next(study.planned_runs()).spec_json, run_id="0")
    summary = read_stream(tables.summary).rows(named=True)[0]
    assert summary["messages_delivered"] == summary["messages_offered"] == 5 * 12
    assert summary["messages_duplicated"] == 2
    packets = read_stream(tables.packets).rows(named=True)
    assert any(row["fate"] == "dropped" and row["reason"] == "fault" for row in packets)


def test_a_study_that_no_run_can_do_yet_is_not_told_of_its_faults(load: Load) -> None:
    study = load(
        "study: later\nduration: 1 min\ntraffic: {report: 9 B, every: 1 s}\n"
        "stacks: [mqtt_sn]\nfaults: [{drop: mqtt.PUBACK}]\n"
    )
    assert not any(run.supported for run in study.planned_runs())


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ("[{drop: mqtt.PUBWRECK}]", 'there is no message type "mqtt.PUBWRECK"; did you mean'),
        ("[{nth: 1}]", "the fault does not say what happens; write either drop or cut_before"),
        ("[{drop: coap.ACK, cut_before: coap.ACK}]", "both drop and cut_before are given"),
        ("[{drop: coap.ACK, nth: 1, share: 5 %}]", "both nth and share are given"),
        ("[{drop: coap.ACK, nth: 0}]", "nth"),
        ("[{drop: coap.ACK, share: 0 %}]", "share"),
        ("[{drop: coap.ACK, of: metres}]", 'there is no group "metres"; did you mean "meters"?'),
        ("[{drop: coap.ACK, of: valves}]", "none of the devices of valves sends coap.ACK"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_at_its_place(faults: str, said: str, load: Load) -> None:
    with pytest.raises(StudyError) as caught:
        load(STUDY + f"faults: {faults}\n")
    assert said in str(caught.value)
    assert "faults" in str(caught.value)


@pytest.mark.parametrize("stack", ["mqtt/tls", "mqtt/ws", "mqtt/quic"])
def test_a_fault_that_no_stack_shows_is_refused(stack: str, load: Load) -> None:
    study = "study: hidden\nduration: 1 min\ntraffic: {report: 9 B, every: 1 s}\n"
    study += "faults: [{cut_before: mqtt.PUBACK}]\n"
    with pytest.raises(StudyError, match=r"mqtt\.PUBACK, or it is encrypted or in frames"):
        load(study + f"stacks: [{stack}]\n")
    load(study + f"stacks: [{stack}, mqtt]\n")

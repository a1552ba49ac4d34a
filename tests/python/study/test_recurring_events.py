"""Events that happen again and again, handovers, and who is notified: words, specs and runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.python.composition.factors import STACKS

from lasthop import _native
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study, load_study
from lasthop.study.run_spec import RunSpecReader

Load = Callable[..., Study]

SECOND = 10**9

STUDY = """\
study: recurring
duration: 10 min
fleet: {meters: {count: 3, path: wifi, server: head_end}}
paths: {wifi: {delay: 10 ms}}
servers: {head_end: {}}
traffic: {index: {from: meters, report: 96 B, every: 1 s}}
stacks: [raw_udp]
"""


def spec_of(study: Study) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def summary_of(spec: dict[str, Any]) -> dict[str, Any]:
    tables = _native.simulate(json.dumps(spec), run_id="0")
    summary: dict[str, Any] = read_stream(tables.summary).rows(named=True)[0]
    return summary


def lost_in(load: Load, event: str) -> int:
    summary = summary_of(spec_of(load(f"{STUDY}events: [{event}]\n")))
    assert summary["status"] == "completed"
    return int(summary["messages_offered"] - summary["messages_delivered"])


@pytest.mark.parametrize(
    ("event", "first_s", "again"),
    [
        ("every: 1 min", 60, {"periodic": {"every_ns": 60 * SECOND}}),
        ("start: 5 s, every: 1 min", 5, {"periodic": {"every_ns": 60 * SECOND}}),
        ("every: 1 min, arrivals: periodic", 60, {"periodic": {"every_ns": 60 * SECOND}}),
        ("every: 1 min, arrivals: poisson", 0, {"poisson": {"mean_ns": 60 * SECOND}}),
        ("start: 5 s, every: 1 min, arrivals: poisson", 5, {"poisson": {"mean_ns": 60 * SECOND}}),
    ],
)
def test_the_run_spec_says_how_an_event_comes_again(
    event: str, first_s: int, again: dict[str, dict[str, int]], load: Load
) -> None:
    (kind,) = again
    study = load(f"{STUDY}events: [{{{event}, restart: head_end}}]\n")
    (found,) = spec_of(study)["events"]
    assert found["at_ns"] == first_s * SECOND
    assert found["again"] == {kind: {**again[kind], "until_ns": 600 * SECOND}}


def test_a_quick_look_and_a_shortened_run_end_what_comes_again(load: Load) -> None:
    text = f"{STUDY}events: [{{every: 10 s, outage: wifi, for: 1 s}}]\n"
    (quick,) = spec_of(load(text, quick=True))["events"]
    assert quick["again"]["periodic"]["until_ns"] == 60 * SECOND
    spec_json = next(load(text).planned_runs()).spec_json
    short = RunSpecReader.of(spec_json).shortened(0.1)
    assert short["events"][0]["again"]["periodic"]["until_ns"] == 60 * SECOND
    assert summary_of(short)["status"] == "completed"


def test_what_comes_again_happens_so_often(load: Load) -> None:
    # Three meters with a message a second.
    assert lost_in(load, "{start: 1 min, outage: wifi, for: 10 s}") == 30
    assert lost_in(load, "{every: 1 min, outage: wifi, for: 10 s}") == 9 * 30
    assert lost_in(load, "{start: 30 s, every: 1 min, outage: wifi, for: 10 s}") == 10 * 30


def test_random_times_are_of_the_seed_and_the_same_for_all_stacks(load: Load) -> None:
    text = STUDY.replace("[raw_udp]", "[raw_udp, coap type=non]")
    text += "events: [{every: 1 min, arrivals: poisson, outage: wifi, for: 10 s}]\nrepeat: 4\n"
    lost: dict[str, list[int]] = {}
    for run in load(text).planned_runs():
        summary = summary_of(json.loads(run.spec_json))
        missing = int(summary["messages_offered"] - summary["messages_delivered"])
        lost.setdefault(run.stack, []).append(missing)
    one, other = lost.values()
    assert one == other
    assert len(set(one)) > 1
    assert all(0 < it < 1800 for it in one)


def test_a_handover_has_a_gap_and_then_the_address_that_is_asked_for(load: Load) -> None:
    assert lost_in(load, "{start: 1 min, handover: meters, gap: 5 s}") == 15
    assert lost_in(load, "{start: 1 min, handover: meters, gap: 5 s, address: kept}") == 15
    assert lost_in(load, "{start: 1 min, handover: 34 % of meters, gap: 5 s}") == 5


def test_conditions_name_repetition_handover_and_notice_in_words(load: Load) -> None:
    study = load(
        STUDY + "events:\n"
        "  - {every: 1 min, outage: wifi, for: 1 s}\n"
        "  - {every: 2 min, arrivals: poisson, handover: meters, gap: 300 ms, address: kept}\n"
        "  - {start: 5 s, every: 2 min, arrivals: poisson, new_address: meters,"
        " notify: application}\n"
    )
    assert study.conditions["events"] == (
        "after 1 min and every 1 min from then on outage of wifi for 1 s; "
        "at random, on average every 2 min, handover of meters with a gap of 300 ms, the address "
        "is kept; "
        "after 5 s at random, on average every 2 min, new address of meters, applications are "
        "notified"
    )


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_is_back_after_it_was_notified(stack: str, load: Load) -> None:
    text = STUDY.replace("[raw_udp]", f"[{stack}]").replace("every: 1 s", "every: 10 s")
    found = {}
    for notify in ("none", "application"):
        event = f"{{start: 2 min, new_address: meters, notify: {notify}}}"
        study = load(f"{text}measure: {{drain: 20 min}}\nevents: [{event}]\n")
        found[notify] = summary_of(spec_of(study))
        assert found[notify]["status"] == "completed"
    told, untold = found["application"], found["none"]
    # At most the message that was under way is lost, of each of three devices.
    assert told["messages_offered"] - told["messages_delivered"] <= 3
    assert told["messages_delivered"] >= untold["messages_delivered"]


def test_a_connection_that_is_closed_at_once_spares_its_timers(load: Load) -> None:
    latest = {}
    for stack in ("mqtt qos=1", "mqtt/tls qos=1", "mqtt/ws qos=1", "mqtt/quic qos=1"):
        for notify in ("none", "application"):
            text = STUDY.replace("[raw_udp]", f"[{stack}]")
            event = f"{{start: 2 min, new_address: meters, notify: {notify}}}"
            study = load(f"{text}measure: {{drain: 20 min}}\nevents: [{event}]\n")
            latest[stack, notify] = summary_of(spec_of(study))["latency_max_ms"] / 1000
    for stack in ("mqtt qos=1", "mqtt/tls qos=1", "mqtt/ws qos=1"):
        assert latest[stack, "application"] < 5
        assert latest[stack, "none"] > 10
    # QUIC finds its way without being told.
    assert max(latest["mqtt/quic qos=1", it] for it in ("none", "application")) < 1


@pytest.mark.parametrize(
    ("stack", "side", "noted"),
    [
        ("raw_udp", "from", 1),
        ("coap", "from", 1),
        ("coap/dtls dtls.cid=8B", "from", 1),
        ("coap/dtls", "from", 0),
        ("mqtt", "from", 0),
        ("mqtt/quic", "from", 0),
        ("dds", "from", 0),
        ("raw_udp", "to", 0),
    ],
)
def test_a_notice_on_which_no_stack_acts_is_said_before_the_first_run(
    stack: str, side: str, noted: int, tmp_path: Path
) -> None:
    kind = "report" if side == "from" else "command"
    text = STUDY.replace("[raw_udp]", f"[{stack}]")
    text = text.replace("from: meters, report", f"{side}: meters, {kind}")
    file = tmp_path / "study.yaml"
    event = "{start: 2 min, new_address: meters, notify: application}"
    file.write_text(f"{text}events: [{event}]\n", encoding="utf-8")
    notes = [note for note in load_study(file).notes if "events.0.notify" in note]
    assert len(notes) == noted

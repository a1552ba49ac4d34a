"""Events of a study: what the run spec says of them, and what they do to a run."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lasthop import _native
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study
from lasthop.study.run_spec import RunSpecReader

Load = Callable[..., Study]

STUDY = """\
study: events
duration: 10 min
fleet: {meters: {count: 20, path: wifi, server: head_end}}
paths:
  wifi: {delay: 10 ms}
  cell: [{delay: 60 ms}, {nat: {udp: 1 min}}]
servers: {head_end: {}}
traffic: {index: {from: meters, report: 96 B, every: 10 s}}
stacks: [coap]
"""


def events_of(study: Study) -> list[dict[str, Any]]:
    spec = json.loads(next(study.planned_runs()).spec_json)
    events: list[dict[str, Any]] = spec["events"]
    return events


def test_every_default_of_an_event_is_written_out(load: Load) -> None:
    study = load(
        STUDY + "events:\n"
        "  - {start: 1 min, outage: head_end, for: 30 s}\n"
        "  - {start: 1 min, outage: cell, for: 30 s}\n"
        "  - {start: 1 min, outage: cell.nat, for: 30 s}\n"
        "  - {start: 0 s, power_cut: 20 % of meters, for: 1 min}\n"
        "  - {start: 3 min, restart: head_end, survives: sessions}\n"
        "  - {start: 3 min, restart: meters, for: 2 s, spread: 0 s, survives: tickets}\n"
        "  - {start: 4 min, new_address: meters}\n"
        "  - {start: 5 min, change_path: 50 % of meters, to: cell}\n"
        "  - {start: 6 min, handover: meters, gap: 300 ms}\n"
    )
    second = 10**9
    some = {"group": "meters", "share": 0.2}
    all_of_them = {"group": "meters", "share": 1.0}
    back = {"duration_ns": 60 * second, "spread_ns": 10 * second, "survives": "nothing"}
    server = {"duration_ns": 5 * second, "spread_ns": 0, "survives": "sessions"}
    devices = {"duration_ns": 2 * second, "spread_ns": 0, "survives": "tickets"}
    half_of_them = {"group": "meters", "share": 0.5}
    moved = {"address": "new", "notify": "none"}
    outages = [{"server": "head_end"}, {"path": "cell"}, {"hop": "cell.nat"}]
    assert [(event["at_ns"] // second, event["change"]) for event in events_of(study)] == [
        *((60, {"outage": {"of": of, "duration_ns": 30 * second}}) for of in outages),
        (0, {"power_cut": {"of": some, "back": back}}),
        (180, {"restart": {"of": {"server": "head_end"}, "back": server}}),
        (180, {"restart": {"of": {"devices": all_of_them}, "back": devices}}),
        (240, {"new_address": {"of": all_of_them, "notify": "none"}}),
        (300, {"change_path": {"of": half_of_them, "to": "cell", "notify": "none"}}),
        (360, {"handover": {"of": all_of_them, "gap_ns": 300_000_000, **moved}}),
    ]
    assert all("again" not in event for event in events_of(study))


def test_the_short_form_has_events_too(load: Load) -> None:
    study = load(
        "study: short\nduration: 1 min\ntraffic: {report: 10 B, every: 1 s}\nstacks: [raw_udp]\n"
        "path: {delay: 10 ms, nat: {udp: 10 s}}\n"
        "events: [{start: 10 s, outage: path, for: 5 s}, {start: 30 s, restart: server}]\n"
    )
    outage, restart = events_of(study)
    assert outage["change"]["outage"]["of"] == {"path": "path"}
    assert restart["change"]["restart"]["of"] == {"server": "server"}


def test_a_quick_look_leaves_out_what_happens_after_it(load: Load) -> None:
    events = "events: [{start: 30 s, restart: meters}, {start: 5 min, restart: head_end}]\n"
    (event,) = events_of(load(STUDY + events, quick=True))
    assert event["at_ns"] == 30 * 10**9


def test_a_shortened_run_leaves_out_what_happens_after_it(load: Load) -> None:
    events = "events: [{start: 30 s, restart: meters}, {start: 1 min, restart: head_end}]\n"
    planned = next(load(STUDY + events).planned_runs())
    short = RunSpecReader.of(planned.spec_json).shortened(0.1)
    assert [event["at_ns"] for event in short["events"]] == [30 * 10**9]
    tables = _native.simulate(json.dumps(short), run_id="trial")
    summary = read_stream(tables.summary).rows(named=True)[0]
    assert summary["status"] == "completed"


@pytest.mark.parametrize(
    "event",
    [
        "outage: head_end, for: 30 s",
        "outage: wifi, for: 30 s",
        "power_cut: meters, for: 30 s",
        "restart: head_end",
        "restart: 50 % of meters",
        "new_address: meters",
        "change_path: meters, to: cell",
        "new_address: meters, notify: application",
        "change_path: meters, to: cell, notify: application",
        "handover: meters, gap: 300 ms",
        "handover: 50 % of meters, gap: 2 s, address: kept",
        "handover: meters, gap: 2 s, notify: application",
        "every: 1 min, outage: wifi, for: 1 s",
        "every: 1 min, arrivals: poisson, restart: head_end, for: 1 s, survives: sessions",
        "every: 1 min, arrivals: poisson, handover: 30 % of meters, gap: 300 ms",
    ],
)
def test_what_a_study_says_of_an_event_a_run_does(event: str, load: Load) -> None:
    study = load(STUDY + f"events: [{{start: 0 s, {event}}}, {{start: 9 min, {event}}}]\n")
    quiet = json.loads(next(load(STUDY).planned_runs()).spec_json)
    spec = json.loads(next(study.planned_runs()).spec_json)
    assert {**spec, "events": []} == quiet
    # Whatever happens when sessions are set up, all is said later.
    tables = _native.simulate(json.dumps(spec), run_id="0")
    summary = read_stream(tables.summary).rows(named=True)[0]
    assert (summary["status"], summary["reason"]) == ("completed", None)
    assert summary["messages_delivered"] > 900


RADIO = """\
study: events
duration: 10 min
fleet: {meters: {count: 4, path: wifi, server: head_end}, far: {count: 4, path: cell}}
paths:
  wifi: {delay: 10 ms}
  cell: [{nbiot: {coupling_loss: 130 dB, psm: off}}, {nat: {udp: 1 min}, scope: all}]
servers: {head_end: {}}
traffic:
  index: {from: meters, report: 96 B, every: 20 s}
  more: {from: far, report: 96 B, every: 20 s}
stacks: [coap]
events:
"""


@pytest.mark.parametrize(
    "event",
    [
        "{start: 2 min, outage: cell.nbiot, for: 1 min}",
        "{start: 2 min, outage: cell, for: 1 min}",
        "{start: 0 s, power_cut: 50 % of far, for: 1 min}",
        "{start: 2 min, change_path: meters, to: cell}",
        "{start: 2 min, change_path: far, to: wifi}",
    ],
)
def test_things_happen_to_radio_networks_and_their_devices(event: str, load: Load) -> None:
    study = load(RADIO + f"  - {event}\n")
    tables = _native.simulate(next(study.planned_runs()).spec_json, run_id="0")
    summary = read_stream(tables.summary).rows(named=True)[0]
    assert summary["status"] == "completed"
    assert summary["messages_delivered"] >= 0.7 * summary["messages_offered"]


def test_conditions_name_the_events_in_words(load: Load) -> None:
    study = (
        STUDY + "events:\n"
        "  - {start: 1 min, outage: head_end, for: 30 s}\n"
        "  - {start: 2 min, power_cut: 20 % of meters, for: 30 s, spread: 5 s}\n"
        "  - {start: 3 min, restart: head_end, survives: sessions}\n"
        "  - {start: 4 min, change_path: meters, to: cell}\n"
    )
    assert load(study).conditions["events"] == (
        "after 1 min outage of head_end for 30 s; after 2 min power cut of 20 % of meters for "
        "30 s, back within 5 s; after 3 min restart of head_end, sessions survive; "
        "after 4 min change path of meters to cell"
    )
    assert "events" not in load(STUDY).conditions

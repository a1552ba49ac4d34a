"""Sessions that are set up before the run: what the run spec says of them."""

import json
from collections.abc import Callable
from typing import Any

from lasthop.study import Study

Load = Callable[..., Study]

STUDY = """\
study: beforehand
duration: 10 min
measure: {set_up: 1 min}
fleet:
  meters: {count: 2, path: wifi, server: head_end}
  valves: {count: 2, path: wifi, server: head_end}
paths: {wifi: {delay: 10 ms}}
servers: {head_end: {}}
traffic:
  index: {from: meters, report: 96 B, every: 10 s, session: established}
  turn: {from: head_end, to: valves, command: 9 B, every: 10 s}
stacks: [coap/dtls]
"""


def spec_of(study: Study) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def test_what_devices_open_is_established_and_what_servers_say_goes_by_it(load: Load) -> None:
    spec = spec_of(load(STUDY))
    assert [flow["session"] for flow in spec["flows"]] == ["established", "keep"]
    assert spec["measure"]["set_up_ns"] == 60 * 10**9


def test_events_count_from_the_beginning_of_the_run(load: Load) -> None:
    event = "events:\n  - {start: 3 min, restart: head_end}\n"
    assert spec_of(load(STUDY + event))["events"][0]["at_ns"] == 240 * 10**9
    kept = STUDY.replace(", session: established", "")
    assert spec_of(load(kept + event))["events"][0]["at_ns"] == 180 * 10**9


def test_all_sessions_that_devices_open_or_none(
    refused: Callable[[str, str], None],
) -> None:
    more = "  open: {from: valves, report: 9 B, every: 10 s}\nstacks:"
    refused(
        STUDY.replace("stacks:", more),
        (
            "12:9: traffic.open: either all sessions of a run are established beforehand, or "
            "none is; write *"
        ),
    )

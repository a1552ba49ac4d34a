"""Groups, servers and what they say to each other, from the study to the results."""

from pathlib import Path

import pytest

import lasthop

HEAD = """\
study: house
duration: 5 min
repeat: 1
paths:
  cell: {delay: 200 ms, rate: 50 kbit/s, nat: {udp: 5 min}}
  home: {delay: 10 ms}
"""

RELAYED = """\
servers: {hub: {}}
fleet:
  sensors: {count: 8, path: cell, stack: coap type=con}
  displays: {count: 2, path: home, stack: mqtt qos=1}
traffic:
  state: {from: sensors, to: displays, report: 40 B, every: 10 s, start: 10 s}
  alive: {from: displays, report: 8 B, every: 1 min}
"""

TWO_SERVERS = """\
servers: {head_end: {}, archive: {}}
fleet:
  meters: {count: 4, path: cell, server: head_end, stack: STACK}
traffic:
  index: {from: meters, report: 40 B, every: 10 s}
  turn: {to: meters, from: archive, command: 8 B, every: 30 s}
  copy: {from: meters, to: archive, report: 200 B, every: 1 min}
"""

OTHER_OPTIONS = """\
servers: {hub: {}}
fleet:
  quick: {count: 4, path: home, stack: coap type=non}
  sure: {count: 4, path: cell, stack: coap type=con block_size=16}
traffic:
  fast: {from: quick, report: 40 B, every: 1 s}
  safe: {from: sure, report: 40 B, every: 10 s}
  turn: {to: sure, command: 40 B, every: 30 s}
"""


def run(text: str, folder: Path) -> dict[str, tuple[int, int]]:
    """Give messages offered and delivered by flow."""
    study = folder / "study.yaml"
    study.write_text(HEAD + text)
    results = lasthop.run(study, out=folder / "results")
    assert results.runs["status"].to_list() == ["completed"]
    rows = results.groups.select("flow", "messages_offered", "messages_delivered").iter_rows()
    return {flow: (offered, delivered) for flow, offered, delivered in rows}


def test_a_group_hears_by_mqtt_what_another_publishes_by_coap(tmp_path: Path) -> None:
    assert run(RELAYED, tmp_path) == {"state": (240, 240), "alive": (10, 10)}


def test_who_hears_alone_has_no_row_and_is_heard_of_nowhere_else(tmp_path: Path) -> None:
    *lines, _alive = RELAYED.splitlines()
    assert run("\n".join(lines), tmp_path) == {"state": (240, 240)}


@pytest.mark.parametrize("stack", ["raw_udp", "coap type=con", "mqtt qos=1", "json_udp"])
def test_a_group_talks_to_two_servers(stack: str, tmp_path: Path) -> None:
    told = run(TWO_SERVERS.replace("STACK", stack), tmp_path)
    assert told == {"index": (120, 120), "turn": (40, 40), "copy": (20, 20)}


def test_a_group_talks_to_two_servers_by_two_stacks(tmp_path: Path) -> None:
    stacks = "raw_udp, stacks: {archive: mqtt qos=1}"
    told = run(TWO_SERVERS.replace("STACK", stacks), tmp_path)
    assert told == {"index": (120, 120), "turn": (40, 40), "copy": (20, 20)}


def test_groups_speak_one_protocol_with_other_options_to_one_server(tmp_path: Path) -> None:
    told = run(OTHER_OPTIONS, tmp_path)
    assert told == {"fast": (1200, 1200), "safe": (120, 120), "turn": (40, 40)}


def test_a_server_that_is_away_takes_its_own_flows_along(tmp_path: Path) -> None:
    outage = "events: [{outage: archive, start: 1 min, for: 2 min}]\n"
    told = run(TWO_SERVERS.replace("STACK", "raw_udp") + outage, tmp_path)
    assert told["index"] == (120, 120)
    assert told["copy"][1] < told["copy"][0]

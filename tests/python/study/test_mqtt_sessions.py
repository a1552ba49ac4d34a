"""What becomes of messages for a client of MQTT that is away, by the settings of its session."""

from pathlib import Path

import pytest

import lasthop

STUDY = """\
study: away
duration: 10 min
measure: {{drain: 2 min}}
paths: {{p: {{delay: 20 ms}}}}
servers: {{s: {{}}}}
fleet: {{valves: {{count: {devices}, path: p}}}}
traffic: {{turn: {{to: valves, command: {size}, every: 30 s, at: 0 s}}}}
events: [{{start: 100 s, restart: valves, for: 200 s, spread: 0 s, survives: sessions}}]
stacks: ['mqtt version=5 {option}']
repeat: 1
"""
"""Clients close their connections at 100 s and are back at 300 s. A command is due every 30 s."""


def delivered(folder: Path, devices: int, option: str, size: str = "40 B") -> list[int]:
    """Give the seconds at which the commands were due that one of the devices got."""
    study = folder / "study.yaml"
    study.write_text(STUDY.format(devices=devices, option=option, size=size))
    results = lasthop.run(study, out=folder / "results")
    assert results.runs["status"].to_list() == ["completed"]
    found: set[tuple[int, ...]] = set()
    for _, messages in results.messages.group_by("device"):
        got = messages.filter(status="delivered").sort("message")
        found.add(tuple(at // 10**9 for at in got["intended_ns"]))
    assert len(found) == 1, "each device has the same fate"
    return list(found.pop())


ALL = list(range(0, 600, 30))
AWAY = [120, 150, 180, 210, 240, 270]
"""Due while clients are away; that of 300 s may be either."""


def missing(folder: Path, devices: int, option: str, size: str = "40 B") -> set[int]:
    return set(ALL) - set(delivered(folder, devices, option, size)) - {300}


@pytest.mark.parametrize("devices", [1, 2, 20])
@pytest.mark.parametrize(
    ("option", "lost"),
    [
        ("", set()),
        ("clean_start=off", set()),
        ("clean_start=on", set(AWAY)),
        ("session_expiry=1h", set()),
        ("session_expiry=0s", set(AWAY)),
        ("session_expiry=1min", set(AWAY)),
    ],
)
def test_a_session_keeps_messages_for_as_long_as_it_lasts(
    option: str, lost: set[int], devices: int, tmp_path: Path
) -> None:
    assert missing(tmp_path, devices, option) == lost


@pytest.mark.parametrize("devices", [1, 2, 20])
def test_a_broker_drops_what_is_larger_than_a_client_accepts(devices: int, tmp_path: Path) -> None:
    for size, lost in (("150 B", set[int]()), ("250 B", set(ALL) - {300})):
        (tmp_path / size).mkdir()
        assert missing(tmp_path / size, devices, "maximum_packet_size=200B", size) == lost

"""Probes of TCP keep a mapping of a NAT, and find a path that is dead."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lasthop

STUDY = """\
study: probed
duration: 1 h
measure: {{drain: 2 min}}
devices: {devices}
path: {{delay: 20 ms{nat}}}
traffic: {{command: 40 B, every: 15 min, at: 10 min}}
{events}stacks: ['mqtt keep_alive=0s{option}']
repeat: 1
"""
NAT = ", nat: {udp: 1 min, tcp: 5 min}"


def run(
    folder: Path, devices: int, option: str, *, nat: str = NAT, event: str = ""
) -> tuple[dict[str, Any], pl.DataFrame]:
    events = f"events: [{event}]\n" if event else ""
    study = folder / "study.yaml"
    study.write_text(STUDY.format(devices=devices, nat=nat, option=option, events=events))
    results = lasthop.run(study, out=folder / "results")
    assert results.runs["status"].to_list() == ["completed"]
    return results.runs.row(0, named=True), results.ledger


@pytest.mark.parametrize("devices", [1, 2, 20])
def test_commands_pass_a_translator_that_probes_keep_open(devices: int, tmp_path: Path) -> None:
    kept, probes = run(tmp_path, devices, " tcp.keep_alive=240s")
    assert kept["delivery_ratio"] == 1
    assert not probes.filter(layer="tcp", cause="keep_alive").is_empty()
    assert kept["latency_max_ms"] == pytest.approx(20, abs=1)
    (tmp_path / "late").mkdir()
    late, _ = run(tmp_path / "late", devices, " tcp.keep_alive=600s")
    # The probe leaves behind the first command, which then comes again.
    assert late["latency_max_ms"] > 100
    for number, option in enumerate(("", " tcp.keep_alive=0s")):
        folder = tmp_path / str(number)
        folder.mkdir()
        shut, _ = run(folder, devices, option)
        assert shut["delivery_ratio"] < 1, option


def test_a_probe_costs_its_headers_and_those_of_the_answer(tmp_path: Path) -> None:
    _, ledger = run(tmp_path, 1, " tcp.keep_alive=240s", nat="")
    probes = ledger.filter(layer="tcp", cause="keep_alive", fate="offered")
    # 20 B of TCP and 12 B of time stamps, each way.
    sizes = {way: probes.filter(direction=way)["bytes"].sum() for way in ("up", "down")}
    assert sizes["up"] == sizes["down"] > 0
    assert sizes["up"] % 32 == 0


def test_a_dead_path_is_found_after_nine_probes(tmp_path: Path) -> None:
    """The address changes at 15 min, and no command is due before 25 min.

    The last word was at 10 min, so the first probe leaves at 14 min, and the next one at 18 min.
    """
    event = "{start: 15 min, new_address: device}"
    found, _ = run(
        tmp_path, 2, " tcp.keep_alive=240s tcp.keep_alive_interval=10s", nat="", event=event
    )
    assert found["sessions_begun"] == 4
    (tmp_path / "unprobed").mkdir()
    found, _ = run(tmp_path / "unprobed", 2, "", nat="", event=event)
    assert found["sessions_begun"] == 2

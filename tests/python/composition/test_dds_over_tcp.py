"""DDS over TCP in virtual time: TCP repairs what is lost, and RTPS what a connection loses."""

from pathlib import Path

import polars as pl
import pytest

from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .composition import Composition, outcome_of

STACK = "dds/rtps_tcp"

LOSSES = """study: losses
duration: 1 min
measure: {drain: 1 min}
traffic: {round_trip: 409 B, every: 250 ms}
path: {delay: {around: 20 ms, spread: 20 %}, loss: 5 %}
stacks: [dds/rtps_tcp, dds/rtps_tcp reliability=best_effort, dds reliability=best_effort]
repeat: 2
"""

MOVED = """study: moved
duration: 2 min
measure: {drain: 1 min}
traffic: {report: 50 B, every: 1 s, at: 0 s}
path: {delay: 50 ms}
events: [{start: 30 s, new_address: device, notify: application}]
stacks: [dds/rtps_tcp]
repeat: 1
"""


@pytest.mark.parametrize("kind", ["report", "command", "round_trip"])
@pytest.mark.parametrize("path", ["lan", "lossy", "mtu 600", "slow"])
@pytest.mark.parametrize("devices", [1, 2, 20])
def test_everything_arrives(devices: int, path: str, kind: str, tmp_path: Path) -> None:
    composition = Composition(STACK, path, devices, kind, 100, 40.0)
    assert outcome_of(composition, tmp_path).delivered == 1.0


def test_a_server_answers_through_a_nat_on_the_connection_of_the_device(tmp_path: Path) -> None:
    composition = Composition(STACK, "nat", 3, "round_trip", 100, 40.0)
    assert outcome_of(composition, tmp_path).delivered == 1.0


@pytest.mark.parametrize("layers", ["/tls", " ip.version=6", " tcp.nodelay=off"])
def test_other_layers_and_options_below_carry_it_too(layers: str, tmp_path: Path) -> None:
    composition = Composition(f"{STACK}{layers}", "lossy", 2, "round_trip", 2000, 40.0)
    assert outcome_of(composition, tmp_path).delivered == 1.0


def _run(text: str, folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    study = folder / "study.yaml"
    study.write_text(text, encoding="utf-8")
    results = carry_out(Plan(load_study(study)), out=folder / "results", jobs=1).results
    ledger = results.ledger.join(results.runs.select("run_id", "stack"), on="run_id")
    return results.runs, ledger


def test_tcp_repairs_losses_and_rtps_sends_nothing_again(tmp_path: Path) -> None:
    runs, ledger = _run(LOSSES, tmp_path)
    over_udp = pl.col("stack") == "dds reliability=best_effort"
    assert set(runs.filter(~over_udp)["delivery_ratio"]) == {1.0}
    assert (runs.filter(over_udp)["delivery_ratio"] < 0.99).all()
    again = ledger.filter(~over_udp, cause="retransmission")
    assert set(again["layer"]) == {"tcp"}
    # 4 round trips a second for a minute, 409 B there and back.
    payload = ledger.filter(~over_udp, cause="payload", fate="offered")
    sizes = payload.group_by("run_id").agg(pl.sum("bytes"))["bytes"]
    assert set(sizes) == {2 * 240 * 409}


def test_what_a_lost_connection_had_under_way_is_repaired_by_rtps(tmp_path: Path) -> None:
    runs, _ = _run(MOVED, tmp_path)
    assert set(runs["delivery_ratio"]) == {1.0}

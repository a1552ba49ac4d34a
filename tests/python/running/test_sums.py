"""Messages that are summed: the same figures as with a row for each, in memory that stays flat."""

import math
from pathlib import Path

import polars as pl
import pytest

import lasthop

STACKS = """\
study: sums
duration: 5 min
measure: {warm_up: 30 s, drain: 2 min, overload: allow}
devices: 3
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}, duplicate: 10 %, rate: 20 kB/s}
traffic: {TRAFFIC: 200 B, every: 500 ms, arrivals: poisson}
stacks:
  - raw_udp
  - raw_udp ack=on
  - json_udp
  - coap type=non
  - coap type=con nstart=4
  - coap/tcp
  - mqtt qos=0
  - mqtt qos=1
  - mqtt qos=2
  - raw_tcp
repeat: 1
"""

FLEET = """\
study: meters
duration: 6 h
measure: {set_up: 1 h, drain: 10 min, warm_up: 1 h}
stacks: {coap: coap type=con ack_timeout=15s, mqtt: mqtt qos=1}
paths:
  cell:
    - nbiot:
        coupling_loss: {144 dB: 60 %, 154 dB: 40 %}
        deployment: {cells: 3}
        inactivity: 20 s
    - nat: {udp: 120 s, tcp: 1 h}
servers: {head_end: {}}
fleet:
  meters: {count: 1000, simulate: 20, minimum: 4, path: cell, server: head_end, battery: 10 Wh}
traffic:
  index: {from: meters, report: 96 B, every: 15 min, spread: 15 min}
compare: {fleet.meters.stack: [coap, mqtt]}
repeat: 1
"""

NAMES_OF_RUNS = {"case_id", "run_id", "run_spec"}
"""What says that they are two runs."""


def told(study: Path, messages: str) -> lasthop.Results:
    return lasthop.run(study, set={"measure.messages": messages}, jobs=2)


def assert_same(summed: pl.DataFrame, each: pl.DataFrame) -> None:
    """Hold two tables against each other."""
    summed, each = (table.drop(NAMES_OF_RUNS, strict=False) for table in (summed, each))
    assert summed.equals(each)


@pytest.mark.parametrize("kind", ["report", "round_trip", "command"])
def test_sums_say_what_rows_say(tmp_path: Path, kind: str) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STACKS.replace("TRAFFIC", kind))
    summed, each = told(study, "summed"), told(study, "each")
    assert_same(summed.runs, each.runs)
    assert summed.runs["messages_duplicated"].sum() > 0
    assert summed.runs["messages_failed"].sum() > 0
    assert set(summed.runs["uncarried_ratio"]) != {None}
    assert summed.messages.height == 0
    assert each.messages.height > 0
    for table in ("ledger", "packets", "latency"):
        drop = [name for name in ("run_id",) if name in getattr(each, table).columns]
        assert getattr(summed, table).drop(drop).equals(getattr(each, table).drop(drop)), table


def test_sums_of_a_fleet_say_what_rows_say_in_each_stratum(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(FLEET)
    summed, each = told(study, "summed"), told(study, "each")
    assert_same(summed.runs, each.runs)
    assert_same(summed.groups, each.groups)
    assert math.isfinite(summed.runs["energy_j"].sum())
    assert summed.groups["messages_delivered"].sum() > 0

"""Groups with different batteries: their years are judged, for each and for the fleet."""

from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.answer.decision import Outcome

STUDY = """\
study: batteries
duration: 6 h
repeat: 2
stacks: [raw_udp, coap]
fleet:
  meters: {count: 3, battery: 5 Wh}
  valves: {count: 2, energy: {battery: 50 Wh, self_discharge: 1 %}}
paths: {cell: {nbiot: {coupling_loss: 144 dB}}}
traffic:
  index: {from: meters, report: 20 B, every: 1 h}
  state: {from: valves, report: 20 B, every: 2 h}
decide: {maximise: battery_years}
"""


def test_the_fleet_takes_as_many_batteries_a_year_as_its_groups(tmp_path: Path) -> None:
    file = tmp_path / "batteries.yaml"
    file.write_text(STUDY)
    results = lasthop.run(file, out=tmp_path / "results")
    (point,) = results.decision.points
    assert point.outcome in {Outcome.LEADS, Outcome.TOO_CLOSE}
    years = {
        (run, group): years
        for run, group, years in results.groups.select("run_id", "group", "battery_years").rows()
    }
    for run, of_fleet in results.runs.select("run_id", "battery_years").rows():
        taken = 3 / years[run, "meters"] + 2 / years[run, "valves"]
        assert of_fleet == pytest.approx(5 / taken, rel=1e-12)
    assert results.groups.filter(pl.col("battery_years").is_null()).is_empty()

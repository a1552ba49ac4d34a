"""The rerun of Larmo et al. 2019: the paper's setup, and its claims judged on a quick variant."""

import json
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.report.write import figure_names
from lasthop.results.results import Results
from lasthop.study import load_study

FOLDER = Path(__file__).parents[3] / "studies" / "larmo-2019"
CON, NON, MQTT = "raw_udp ack=on", "raw_udp", "raw_tcp tcp.profile=larmo_2019"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The quick variant: everything but for a minute."""
    out = tmp_path_factory.mktemp("results") / "quick"
    return lasthop.run(FOLDER / "study.yaml", out=out, quick=True)


def test_the_network_is_that_of_the_paper() -> None:
    spec = json.loads(next(load_study(FOLDER / "study.yaml").planned_runs()).spec_json)
    network = spec["path"]["nbiot"]
    deployment = network["placement"]["deployment"]
    assert deployment["cells"] == 21
    assert deployment["indoor_loss"] == {"fixed": {"loss_db": 20.0}}
    assert network["carrier"]["downlink_power_dbm"] == 46.0
    assert network["carrier"]["base_station_receive_antennas"] == 2
    assert network["carrier"]["device_receive_antennas"] == 1
    assert network["device_power"]["maximum_dbm"] == 23.0
    assert network["core_delay_ms"] == 4.0
    assert len(network["levels"]) == 3
    assert spec["traffic"]["kind"] == "report"
    assert spec["traffic"]["duration_ns"] - spec["measure"]["warm_up_ns"] == 600 * 10**9


def test_the_loads_sizes_and_claims_are_those_of_the_paper() -> None:
    study = load_study(FOLDER / "study.yaml")
    for part, size in (("report_25_b", 25), ("report_400_b", 400)):
        points = [point for point in study.points if point.part == part]
        loads = [point.parameters["devices_arrive_per_s"] for point in points]
        assert loads == [0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
        assert {point.parameters["traffic_report_bytes"] for point in points} == {size}
    assert study.repeat >= 5
    assert [stack.name for stack in study.stacks] == [NON, CON, MQTT]
    assert [claim.id for claim in study.claims] == [f"LA{number}" for number in range(1, 12)]
    assert all(claim.rules for claim in study.claims)


def test_what_the_paper_leaves_open_has_a_run_each() -> None:
    parts = {part.name: part for part in load_study(FOLDER / "sensitivity.yaml").parts}
    deviations = (FOLDER / "deviations.md").read_text(encoding="utf-8")
    for name in parts:
        assert f"`{name}`" in deviations, name
    base = next(load_study(FOLDER / "study.yaml").planned_runs())
    network = json.loads(base.spec_json)["path"]["nbiot"]
    firsts: dict[str, object] = {}
    for point in load_study(FOLDER / "sensitivity.yaml").points:
        firsts.setdefault(point.part, point.conditions["path"]["nbiot"])
    assert [name for name, first in firsts.items() if first != network] == ["in_band"]


def test_every_run_completes_and_every_claim_is_judged(results: Results) -> None:
    assert set(results.runs["status"]) == {"completed"}
    assert [judgement.id for judgement in results.judgements] == [
        f"LA{number}" for number in range(1, 12)
    ]
    assert all(judgement.verdict for judgement in results.judgements)


def test_the_figures_of_the_paper_are_drawn(results: Results) -> None:
    names = figure_names([results.path])
    for part in ("report_25_b", "report_400_b"):
        for figure in ("device-throughput", "cell-throughput", "availability", "coverage"):
            assert f"{figure}-{part}" in names


def test_a_lightly_loaded_network_serves_nearly_everyone(results: Results) -> None:
    light = results.runs.filter(pl.col("devices_arrive_per_s") == 0.5)
    assert min(light["availability_20s"].to_list()) > 0.9


def test_a_handshake_costs_throughput(results: Results) -> None:
    means = results.runs.group_by("part", "stack").agg(pl.col("device_throughput_bit_s").mean())
    found = {(part, stack): value for part, stack, value in means.iter_rows()}
    for part in ("report_25_b", "report_400_b"):
        assert found[part, NON] > found[part, MQTT]

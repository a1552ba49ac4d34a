"""The rerun of Larmo et al. 2019: the paper's setup, and its claims judged on a quick variant."""

import json
import runpy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lasthop.outcome.results import Results
from lasthop.report.write import figure_names
from lasthop.running.plan import Plan
from lasthop.study import load_study
from lasthop.study.run_spec import RunSpecReader

from .frozen.campaigns import LARMO
from .frozen.holding import assert_nothing_moved

FOLDER = Path(__file__).parents[3] / "studies" / "larmo-2019"
CON, NON, MQTT = "raw_udp ack=on", "raw_udp", "raw_tcp tcp.profile=larmo_2019"
NAMED = {"CoAP NON": NON, "CoAP CON": CON, "MQTT": MQTT}
"""The names of the paper, by which the study calls them."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The quick variant: everything but for a minute, and twice."""
    out = tmp_path_factory.mktemp("results") / "quick"
    return LARMO.run(out)


def test_the_network_is_that_of_the_paper() -> None:
    spec = json.loads(next(load_study(FOLDER / "study.yaml").planned_runs()).spec_json)
    (network,) = RunSpecReader(spec).networks
    deployment = network["placement"]["deployment"]
    assert deployment["cells"] == 21
    assert deployment["indoor_loss"] == {"fixed": {"loss_db": 20.0}}
    assert network["carrier"]["downlink_power_dbm"] == 46.0
    assert network["carrier"]["base_station_receive_antennas"] == 2
    assert network["carrier"]["device_receive_antennas"] == 1
    assert network["device_power"]["maximum_dbm"] == 23.0
    assert network["core_delay_ms"] == 4.0
    assert len(network["levels"]) == 3
    assert spec["flows"][0]["kind"] == "report"
    assert spec["flows"][0]["duration_ns"] - spec["measure"]["warm_up_ns"] == 600 * 10**9


def test_the_loads_sizes_and_claims_are_those_of_the_paper() -> None:
    study = load_study(FOLDER / "study.yaml")
    for part, size in (("report_25_b", 25), ("report_400_b", 400)):
        points = [point for point in study.points if point.part == part]
        loads = [point.parameters["devices_arrive_per_s"] for point in points]
        assert loads == [0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
        assert {point.parameters["traffic_report_bytes"] for point in points} == {size}
    assert study.repeat >= 5
    assert {stack.name: stack.written for stack in study.stacks} == NAMED
    assert [claim.id for claim in study.claims] == [f"LA{number}" for number in range(1, 13)]
    assert all(claim.rules for claim in study.claims)


def test_what_the_paper_leaves_open_has_a_run_each() -> None:
    parts = {part.name: part for part in load_study(FOLDER / "sensitivity.yaml").parts}
    deviations = (FOLDER / "deviations.md").read_text(encoding="utf-8")
    for name in parts:
        assert f"`{name}`" in deviations, name
    firsts: dict[str, object] = {}
    for point in load_study(FOLDER / "sensitivity.yaml").points:
        firsts.setdefault(point.part, RunSpecReader(point.conditions).networks[0])
    others = [name for name, first in firsts.items() if first != _network("study")]
    assert others == ["link_adaptation", "in_band"]


def test_the_fitted_setting_is_that_of_every_study() -> None:
    levels = _network("study")["levels"]
    assert _network("real-protocols")["levels"] == levels
    assert _network("kept-connections")["levels"] == levels
    fit = [
        RunSpecReader(point.conditions).networks[0]["levels"]
        for point in load_study(FOLDER / "fit.yaml").points
    ]
    assert levels in fit
    assert all(setting[1:] == levels[1:] for setting in fit)


def _network(study: str) -> Any:  # noqa: ANN401  (JSON)
    spec = next(load_study(FOLDER / f"{study}.yaml").planned_runs()).spec_json
    return RunSpecReader.of(spec).networks[0]


def test_the_fit_sums_squared_misses_of_la4_to_la8_alone() -> None:
    fit = runpy.run_path(str(FOLDER / "fit.py"))
    as_published = {
        (stack, size, load): 99.5
        for stack in (NON, CON, MQTT)
        for size in (25, 400)
        for load in (1, 2)
    }
    for size in (25, 400):
        as_published |= {(MQTT, size, 2): 95.0, (MQTT, size, 3): 80.0}
    as_published |= {(NON, 400, 2): 98.0, (CON, 400, 2): 98.0}
    assert fit["objective"](as_published) == 0
    missed = as_published | {(NON, 25, 1): 98.0, (MQTT, 400, 2): 90.0, (CON, 400, 2): 99.5}
    assert fit["objective"](missed) == pytest.approx(1.0**2 + 2.0**2 + 0.5**2)
    told = {(miss.claim, miss.where) for miss in fit["misses"](missed) if miss.points}
    assert told == {("LA4", f"{NON}, 25 B"), ("LA6", "400 B"), ("LA8", CON)}


def test_the_joint_fit_goes_on_where_its_journal_ends(tmp_path: Path) -> None:
    joint = runpy.run_path(str(FOLDER / "joint_fit.py"))
    journal, study = joint["Journal"](tmp_path / "fit.csv"), joint["STUDY"]
    assert journal.next() == (study, 1)
    at_best = dict.fromkeys(joint["ARMS"], 99.5) | dict.fromkeys(joint["ARMS"][:2], 95.0)
    at_best |= {arm: 80.0 for arm in joint["ARMS"] if arm[2] == 3}
    at_best |= {arm: 98.0 for arm in joint["ARMS"] if arm[0] != MQTT and arm[2] == 2}
    journal.add(study, 1, at_best)
    assert journal.objective(study) == 0
    hopeless, seed = journal.next()
    assert (hopeless != study, seed) == (True, 1)
    journal.add(hopeless, 1, {joint["ARMS"][0]: 20.0})
    assert journal.objective(hopeless) > joint["HOPELESS"]
    again = joint["Journal"](tmp_path / "fit.csv")
    assert again.found == journal.found
    assert again.next() == journal.next()


def test_the_joint_fit_leaves_out_the_rest_of_a_hopeless_setting_by_its_first_seed_alone() -> None:
    joint = runpy.run_path(str(FOLDER / "joint_fit.py"))
    held = joint["held_to_claims"]
    held.__globals__["availabilities"] = lambda _of, _seed: iter(
        dict.fromkeys(joint["ARMS"], 20.0).items()
    )
    assert len(held(joint["STUDY"], 1)) == 1
    assert len(held(joint["STUDY"], 2)) == len(joint["ARMS"]), "a mean of whole seeds counts"


def test_the_joint_fit_begins_with_the_setting_of_the_study_and_its_best_are_the_universes() -> (
    None
):
    joint = runpy.run_path(str(FOLDER / "joint_multiverse.py"))
    chosen = joint["equals"](joint["Journal"](FOLDER / "joint-fit.csv"))
    points = load_study(FOLDER / "joint-multiverse.yaml").points
    networks = [RunSpecReader(point.conditions).networks[0] for point in points]
    assert networks[0] == _network("study")
    assert len({json.dumps(network) for network in networks}) == len(chosen)
    distances = {of.distance_m for of in chosen}
    found = {network["placement"]["deployment"]["inter_site_distance_m"] for network in networks}
    assert found == distances


def test_a_cell_carries_what_it_serves_up_to_where_it_falls_to_99_percent() -> None:
    capacity = runpy.run_path(str(FOLDER / "capacity.py"))
    rule = capacity["capacity"]
    assert rule({1.0: 1.0, 2.0: 0.995, 3.0: 0.97}) == (2.2, False)
    assert rule({2.0: 0.995, 1.0: 1.0}) == (2.0, True), "it may carry more"
    assert rule({1.0: 0.9, 2.0: 1.0}) == (0.0, False), "what comes back does not count"
    assert rule({1.0: 1.0, 2.0: 0.98, 3.0: 1.0}) == (1.5, False)
    assert capacity["REPORTS_A_DAY"]["TR 45.820"] == pytest.approx(11.2)
    line = capacity["line"]("fixed", NON, 25, [(2.0, False), (3.0, True)])
    assert (
        line == f"| fixed | {NON} | 25 B | >= 2.50 (2.00 - 3.00) | >= 9,000 | >= 19,286 | >= 0.39 |"
    )


def test_the_capacity_has_the_fitted_setting_and_the_preset() -> None:
    study = load_study(FOLDER / "capacity.yaml")
    networks = {
        point.part: RunSpecReader(point.conditions).networks[0]["levels"] for point in study.points
    }
    assert networks["fixed"] == _network("study")["levels"]
    assert networks["adaptive_400_b"] == networks["adaptive"]
    adapts = [list(level["link_adaptation"]) for level in networks["adaptive"]]
    assert adapts == [["adaptive"]] * 3


def test_each_claim_is_judged_in_each_of_the_settings_that_fit() -> None:
    joint = runpy.run_path(str(FOLDER / "joint_claims.py"))
    study = load_study(FOLDER / "joint-multiverse.yaml")
    column = joint["_column"](Plan(study))
    settings: list[object] = []
    rows = []
    for planned in study.planned_runs():
        setting = planned.parameters[column]
        if setting not in settings:
            settings.append(setting)
        size, load = (
            float(str(planned.parameters[name]))
            for name in ("traffic_report_bytes", "devices_arrive_per_s")
        )
        # In the second setting a larger report is slower; everything else is as nobody published.
        faster = size if settings.index(setting) != 1 else 1000 / size
        rows.append(
            {
                "part": planned.part,
                "stack": planned.stack,
                "seed": planned.seed,
                "repetition": planned.repetition,
                "status": "completed",
                "reason": None,
                column: setting,
                "traffic_report_bytes": int(size),
                "devices_arrive_per_s": load,
                "device_throughput_bit_s": faster * (10 + planned.seed % 7 / 100),
                "cell_throughput_bit_s": 1.0,
                "availability_20s": 1.0,
                "not_served_20s_ratio": 0.0,
                "lowest_path_gain_served_db": -140.0,
            }
        )
    claims = load_study(FOLDER / "study.yaml").claims
    found = joint["judged"](pl.DataFrame(rows), claims, column, 3)
    assert len(found) == len(settings) == 5
    verdicts = [{one.id: joint["WORDS"][one.verdict] for one in judged} for judged in found]
    assert [one["LA12"] for one in verdicts] == ["yes", "no", "yes", "yes", "yes"]
    assert {one["LA4"] for one in verdicts} == {"yes"}
    assert {one["LA6"] for one in verdicts} == {"no"}
    still_open = joint["undecided"](found)
    marked = {
        f"{claim}, setting {number}"
        for number, one in enumerate(verdicts, start=1)
        for claim in one.keys() - joint["FITTED"]
        if one[claim] == "?"
    }
    assert {line.partition(":")[0] for line in still_open} == marked
    assert marked
    chosen = joint["equals"](joint["Journal"](FOLDER / "joint-fit.csv"))
    lines = joint["table"](chosen, found).splitlines()
    assert len(lines) == 2 + len(claims)
    assert all(line.count("|") == 8 for line in lines)
    assert lines[5].startswith("| LA4 (fitted) | > 99 % | yes")


def test_the_readings_keep_the_order_of_the_study_and_tell_an_overload() -> None:
    readings = runpy.run_path(str(FOLDER / "readings.py"))
    rows = [
        {
            "part": "linger",
            "stack": stack,
            "availability_20s": availability,
            "reason": "overload" if linger == 0.0 and stack == MQTT else None,
            "trace_hash": "",
            "traffic_report_bytes": size,
            "devices_linger_ms": linger,
            "run_spec": "",
        }
        for linger in (2000.0, 0.0)
        for stack, size in readings["ARMS"]
        for availability in (0.5, 1.0)
    ]
    found = list(readings["readings"](pl.DataFrame(rows)))
    assert [(part, value) for part, value, _ in found] == [("linger", "2000.0"), ("linger", "0.0")]
    assert found[0][2] == ["75.00 (50.00 - 100.00)"] * 5
    assert found[1][2][:2] == ["75.00 (50.00 - 100.00) overload"] * 2
    assert found[1][2][2:] == found[0][2][2:]


def test_no_number_has_moved(results: Results) -> None:
    assert_nothing_moved(LARMO, results)


def test_every_run_completes_and_every_claim_is_judged(results: Results) -> None:
    assert set(results.runs["status"]) == {"completed"}
    assert [judgement.id for judgement in results.judgements] == [
        f"LA{number}" for number in range(1, 13)
    ]
    assert all(judgement.verdict for judgement in results.judgements)


def test_an_overload_is_said_and_its_throughput_not_ranked(results: Results) -> None:
    overloaded = results.runs.filter(pl.col("reason") == "overload")
    assert {stack for (stack,) in overloaded.select("stack").unique().iter_rows()} >= {"MQTT"}
    for part in ("report_25_b", "report_400_b"):
        heaviest = results.runs.filter(
            (pl.col("part") == part)
            & (pl.col("stack") == "MQTT")
            & (pl.col("devices_arrive_per_s") == 4.0)
        )
        assert set(heaviest["reason"]) == {"overload"}
    heaviest_point = results.decision.points[-1]
    aside = {arm.stack: arm.troubles[0].status for arm in heaviest_point.set_aside}
    assert aside["MQTT"] == "overload"
    said = {judgement.id: judgement for judgement in results.judgements}["LA7"]
    assert any("overload in 2 of 2 runs" in (found.note or "") for found in said.findings)
    told = json.loads((results.path / "referee.json").read_text(encoding="utf-8"))
    assert {found["check"] for found in told["runs"]} == {"overload"}
    assert not any(found["invalid"] for found in told["runs"])


def test_the_figures_of_the_paper_are_drawn(results: Results) -> None:
    names = figure_names([results.path])
    assert names[:4] == tuple(f"paper-figure-{number}" for number in ("2a", "2b", "3", "4"))
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
        assert found[part, "CoAP NON"] > found[part, "MQTT"]

"""The rerun of Chen & Kunz 2016: the paper's setup, and its claims judged on a quick variant."""

import json
from pathlib import Path

import pytest

import lasthop
from lasthop.claims import ClaimVerdict, Judgement
from lasthop.outcome.results import Results
from lasthop.study import load_study

from .frozen.campaigns import CHEN_KUNZ
from .frozen.holding import assert_nothing_moved

FOLDER = Path(__file__).parents[3] / "studies" / "chen-kunz-2016"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The quick variant: everything but for a minute."""
    out = tmp_path_factory.mktemp("results") / "quick"
    return CHEN_KUNZ.run(out)


@pytest.fixture(scope="module")
def judged(results: Results) -> dict[str, Judgement]:
    """The claims by their ids."""
    return {judgement.id: judgement for judgement in results.judgements}


def test_the_low_quality_network_is_that_of_the_paper() -> None:
    study = load_study(FOLDER / "study.yaml")
    spec = json.loads(next(study.planned_runs()).spec_json)
    assert spec["flows"][0]["payload"]["json"]["bytes"] == 409
    assert spec["flows"][0]["arrivals"] == {"periodic": {"every_ns": 250_000_000}}
    assert spec["flows"][0]["duration_ns"] == 600 * 10**9
    for side in ("up", "down"):
        direction = spec["paths"]["path"]["hops"][0]["link"][side]
        assert direction["loss"] == {"bernoulli": {"probability": 0.1}}
        assert direction["rate"]["bits_per_second"] == 50_000
        uniform = {"uniform": {"from_ns": 80_000_000, "to_ns": 120_000_000}}
        assert direction["delay"]["model"] == uniform


def test_the_sweeps_are_those_of_the_paper() -> None:
    study = load_study(FOLDER / "study.yaml")
    loss = [p.parameters["path_loss"] for p in study.points if p.part == "loss"]
    assert loss == [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
    latency = [p.parameters["path_delay_around_ms"] for p in study.points if p.part == "latency"]
    assert latency == [0.0, 100.0, 200.0, 300.0, 400.0]
    assert study.repeat >= 5
    assert {claim.id for claim in study.claims} == {f"CK{number}" for number in range(1, 15)}


def test_no_number_has_moved(results: Results) -> None:
    assert_nothing_moved(CHEN_KUNZ, results)


def test_every_arm_runs(results: Results) -> None:
    assert set(results.runs["status"]) == {"completed"}


def test_every_claim_is_judged_on_dds_over_tcp_too(judged: dict[str, Judgement]) -> None:
    assert all(judged[name].verdict is not None for name in judged if name != "CK14")
    uncovered = {name for name, each in judged.items() if each.verdict is ClaimVerdict.NOT_COVERED}
    assert uncovered == set()
    assert not [name for name, each in judged.items() if "without dds" in each.reason]


def test_the_note_has_no_verdict(judged: dict[str, Judgement]) -> None:
    assert judged["CK14"].verdict is None


def test_what_a_minute_shows_of_the_claims(judged: dict[str, Judgement]) -> None:
    supported = {name for name, each in judged.items() if each.verdict and each.verdict.supports}
    # CK7 takes more repetitions: its interval must be narrower than the range of its rule.
    assert supported >= {"CK1", "CK3", "CK6", "CK13"}
    assert judged["CK7"].verdict is ClaimVerdict.UNDECIDED
    contradicted = {
        name for name, each in judged.items() if each.verdict is ClaimVerdict.NOT_REPRODUCED
    }
    assert contradicted == {"CK2", "CK9", "CK12"}


def test_one_leg_loses_what_the_network_loses_and_a_round_trip_more(results: Results) -> None:
    runs = results.runs.filter(results.runs["stack"] == "json_udp")
    for row in runs.iter_rows(named=True):
        kept = (1 - row["path_loss"]) ** (1 if row["part"] == "loss_one_leg" else 2)
        # 240 messages: four standard deviations and the width of one.
        bound = 4 * (kept * (1 - kept) / 240) ** 0.5 + 1 / 240
        assert abs(row["delivery_ratio"] - kept) <= bound


def test_a_reading_of_the_multiverse_is_the_study_itself(results: Results, tmp_path: Path) -> None:
    settings = {"stacks": "[mqtt qos=1]", "duration": "1 min", "measure.drain": "30 s"}
    settings["sweep"] = "[{name: low_quality, path.reordering: [on, off]}]"
    readings = lasthop.run(FOLDER / "multiverse.yaml", out=tmp_path / "m", set=settings)
    ours = results.runs.filter(
        (results.runs["stack"] == "mqtt qos=1") & (results.runs["part"] == "low_quality")
    )
    same = readings.runs.filter(readings.runs["path_reordering"] == "on")
    assert same["run_id"].to_list() == ours["run_id"].to_list()
    assert same["latency_mean_ms"].to_list() == ours["latency_mean_ms"].to_list()
    document = readings.multiverse
    assert document is not None
    first = {claim["id"]: claim["first"]["ours"] for claim in document["claims"]}
    mean = sum(ours["latency_mean_ms"]) / 5
    assert first["CK1"] == pytest.approx(mean)

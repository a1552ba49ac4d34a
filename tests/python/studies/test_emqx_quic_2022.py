"""The rerun of EMQ 2022: the article's setup, and what its network costs by hand arithmetic."""

import json
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.outcome.results import Results
from lasthop.study import load_study

from .frozen.campaigns import EMQX
from .frozen.holding import assert_nothing_moved

FOLDER = Path(__file__).parents[3] / "studies" / "emqx-quic-2022"

ROUND_TRIPS = {
    "connect": {
        "quic": 3,
        "quic 0-RTT": 3,
        "tcp": 3,
        "tcp fast open": 3,
        "tls": 4,
        "tls resumed": 4,
        "tls early data": 4,
    },
    "reconnect": {
        "quic": 3,
        "quic 0-RTT": 2,
        "tcp": 3,
        "tcp fast open": 2,
        "tls": 4,
        "tls resumed": 4,
        "tls early data": 3,
    },
}
"""Of TCP, TLS 1.3, CONNECT and SUBSCRIBE one each, QUIC's handshake one for the first two; early
data and fast open save one of them."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two hundred clients, once."""
    return EMQX.run(tmp_path_factory.mktemp("results") / "few")


FILES = ("busy-server", "study", "loss-test", "alarm")


def test_the_fleet_and_the_latencies_are_those_of_the_article() -> None:
    # Each way, half of its round trips of 1, 10 and 30 ms.
    study = load_study(FOLDER / "study.yaml")
    connect = [point.parameters for point in study.points if point.part == "connect"]
    assert [point["path_delay_ms"] for point in connect] == [0.5, 5, 15]
    spec = json.loads(next(study.planned_runs()).spec_json)
    assert spec["groups"][0]["population"] == {"staying": {"devices": 5000}}


@pytest.mark.parametrize("file", ["weak-network", "loss-test"])
def test_the_bad_network_and_its_load_are_those_of_the_article(file: str) -> None:
    study = load_study(FOLDER / f"{file}.yaml")
    for run in study.planned_runs():
        spec = json.loads(run.spec_json)
        devices = spec["groups"][0]["population"]["staying"]["devices"]
        every_ns = spec["flows"][0]["arrivals"]["periodic"]["every_ns"]
        assert devices * 10**9 == 20_000 * every_ns
        link = spec["paths"]["path"]["hops"][0]["link"]
        for side in ("up", "down"):
            (loss,) = link[side]["loss"].values()
            assert loss["probability"] == 0.1
            assert link[side]["delay"]["model"]["held_back"]["probability"] == 0.2


def test_every_claim_of_the_article_is_in_one_of_the_files() -> None:
    files = (FOLDER / f"{name}.yaml" for name in FILES)
    claims = [claim.id for file in files for claim in load_study(file).claims]
    assert sorted(claims, key=lambda name: int(name[2:])) == [
        f"EQ{number}" for number in range(1, 12)
    ]


def test_what_a_virtual_server_cannot_tell_is_judged_on_sockets() -> None:
    uncovered = [c.id for c in load_study(FOLDER / "study.yaml").claims if not c.rules]
    on_sockets = {claim.id[:3] for claim in load_study(FOLDER / "live.yaml").claims}
    assert uncovered == sorted(on_sockets) == ["EQ4", "EQ5", "EQ6"]


def test_an_alarm_waits_for_the_queue_of_the_bottleneck_and_not_for_an_upload(
    tmp_path: Path,
) -> None:
    results = lasthop.run(FOLDER / "alarm.yaml", out=tmp_path / "out", set={"repeat": "1"})
    alarms = results.groups.filter(flow="alarm")
    runs = results.runs.select("run_id", "stack", "part")
    clean = alarms.join(runs.filter(part="clean"), on="run_id")
    found = dict(clean.select("stack", "latency_p95_ms").iter_rows())
    # An upload of 400 kB takes the line 12.5 s; 400 ms of it wait in the bottleneck's queue.
    assert min(found["tls"], found["quic"]) > 5_000, found
    assert found["per topic"] < 600, found
    assert found["with priority"] < 50 + 400 + 20, found


def test_no_number_has_moved(results: Results) -> None:
    assert_nothing_moved(EMQX, results)


def test_a_session_takes_the_round_trips_of_its_layers_and_no_more(results: Results) -> None:
    runs = results.runs.filter(pl.col("status") == "completed")
    for part, by_stack in ROUND_TRIPS.items():
        for run in runs.filter(part=part).iter_rows(named=True):
            if run["stack"] in by_stack:
                expected = by_stack[run["stack"]] * 2 * run["path_delay_ms"]
                assert run["session_set_up_p95_ms"] == pytest.approx(expected, rel=0.004)
                assert run["sessions_set_up"] == 200


def test_the_second_time_goes_on_from_the_first_where_it_may(results: Results) -> None:
    again = results.runs.filter(part="reconnect", path_delay_ms=15.0)
    found = {run["stack"]: run for run in again.iter_rows(named=True)}
    for stack, (resumed, early) in {
        "tls": (0, 0),
        "tls resumed": (200, 0),
        "tls early data": (200, 200),
    }.items():
        assert (found[stack]["sessions_resumed"], found[stack]["sessions_early"]) == (
            resumed,
            early,
        )


def test_who_speaks_tcp_notices_a_new_address_by_a_ping(results: Results) -> None:
    moved = results.runs.filter(part="new_address", stack="tls")
    (run,) = moved.iter_rows(named=True)
    # A keep alive of a minute until the ping, another until it has no answer.
    assert 60_000 < run["latency_max_ms"] < 122_000
    assert run["sessions_set_up"] == 2 * 200
    assert run["delivery_ratio"] == 1


def test_quic_goes_on_from_another_address(results: Results) -> None:
    (run,) = results.runs.filter(part="new_address", stack="quic").iter_rows(named=True)
    # What is under way at that moment comes once more, after a time-out of less than a second.
    assert run["latency_max_ms"] < 1_000
    assert run["sessions_set_up"] == 200
    assert run["delivery_ratio"] == 1


def test_a_broker_at_work_adds_its_time_and_a_storm_waits_for_it(tmp_path: Path) -> None:
    settings = {"fleet.clients.count": "50", "repeat": "1"}
    results = lasthop.run(FOLDER / "busy-server.yaml", out=tmp_path / "out", set=settings)
    servers = load_study(FOLDER / "busy-server.yaml").points[0].conditions["servers"]
    times = servers[0]["service_time"]["of"]
    for run in results.runs.iter_rows(named=True):
        again = run["part"] == "reconnect"
        round_trips = ROUND_TRIPS["reconnect" if again else "connect"][run["stack"]]
        layers = run["stack_resolved"].split()[0]
        work = times[layers.removesuffix("/ip")]
        connection_ns = work["resumption_ns" if run["sessions_resumed"] else "connection_ns"]
        line_ms = round_trips * 2 * run["paths_line_delay_ms"]
        alone_ms = line_ms + connection_ns / 1e6
        took_ms = run["session_set_up_p95_ms"]
        if run["part"] != "storm":
            # Ten milliseconds lie between two clients: nobody waits for another.
            assert took_ms == pytest.approx(alone_ms, rel=0.01), run
            continue
        # All come at once: who is 48th of 50 waits for those before him, at as many workers.
        ahead_ms = 47 / run["servers_broker_workers"] * work["connection_ns"] / 1e6
        assert took_ms >= line_ms + 0.9 * ahead_ms, run

"""The rerun of Yudayev 2019: what a device reads of what a broker puts together."""

import importlib.util
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import lasthop
from lasthop.outcome.results import Results

FOLDER = Path(__file__).parents[3] / "studies" / "yudayev-2019"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Each run of the study once."""
    out = tmp_path_factory.mktemp("results") / "yudayev"
    return lasthop.run(FOLDER / "study.yaml", out=out, set={"repeat": "1"})


def lost(results: Results, part: str, stack: str) -> dict[int, float]:
    """Give the share of messages that were lost, by the number of clients."""
    runs = results.runs.filter(part=part, stack=stack)
    of_clients = runs.select("fleet_clients_count", "delivery_ratio").iter_rows()
    return {clients: round(1 - delivered, 6) for clients, delivered in of_clients}


def test_a_reader_of_first_messages_loses_what_comes_behind(results: Results) -> None:
    of_reader = lost(results, "figure_25", "qos 0")
    assert of_reader[1] == 0
    assert 0.78 <= of_reader[10] <= 0.82
    assert 0.93 <= of_reader[100] <= 0.99


def test_a_correct_reader_loses_nothing_for_which_it_has_time(results: Results) -> None:
    of_reader = lost(results, "correct_reader", "qos 0")
    assert (of_reader[1], of_reader[10]) == (0.0, 0.0)


def test_an_acknowledgement_makes_up_for_a_bad_reader_one_message_at_a_time(
    results: Results,
) -> None:
    for stack in ("qos 1", "qos 2"):
        of_stack = lost(results, "figure_25", stack)
        assert (of_stack[1], of_stack[10]) == (0.0, 0.0)


def test_a_crash_has_its_reason(results: Results) -> None:
    crowd = results.runs.filter(part="figure_25", fleet_clients_count=100)
    crashes = dict(crowd.select("stack", "device_crashes_watchdog").iter_rows())
    assert crashes["qos 0"] == 0
    assert crashes["qos 1"] > 0
    assert crowd["device_crashes_heap"].sum() == 0


def script(name: str) -> ModuleType:
    """Load a program of the study."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_figure_counts_the_packets_of_the_device(results: Results) -> None:
    of_part = script("rows").of_part(results, "figure_25")
    assert len(of_part) == 18
    one = of_part.filter(stack="qos 0", fleet_clients_count=1)
    # A PUBLISH and its acknowledgement, and what sets the session up.
    assert 2 * 100 <= one["packets"][0] <= 3 * 100


PAUSED = {
    "repeat": "1",
    "sweep": "[{name: http, servers.esp.device.message: [120 ms], fleet.clients.count: [10]}]",
    "decide.part": "http",
}


def test_clients_that_pause_take_as_long_as_those_of_the_capture(tmp_path: Path) -> None:
    results = lasthop.run(FOLDER / "paused.yaml", out=tmp_path / "results", set=PAUSED)
    captured = pl.read_csv(FOLDER / "captures.csv").filter(capture="http_10clients.pcap")
    http = results.runs.filter(stack="http")
    messages = results.messages.filter(run_id=http["run_id"][0])
    ends, sent = pl.col("acknowledged_ns"), pl.col("sent_ns")
    answered, lasts_s, took_ms = messages.select(
        answered=ends.count(),
        lasts_s=(ends.max() - pl.min("intended_ns")) / 1e9,
        took_ms=(ends - sent).mean() / 1e6,
    ).row(0)
    assert len(messages) == 1000
    # A schedule of one request a second loses a third of them.
    assert answered >= 990
    assert lasts_s == pytest.approx(captured["span_s"][0], rel=0.05)
    # The paper's round trip.
    assert took_ms == pytest.approx(200, rel=0.1)


PULLED = ("coap", "http", "http keep")
TOLD = ("mqtt 0", "mqtt 1", "observed non", "observed con")

ADVICE = {
    "duration": "20 min",
    "repeat": "2",
    "sweep": "[{name: readers, fleet.readers.count: [1, 30]}]",
}


def test_a_cache_makes_what_readers_cost_the_device_what_one_costs(tmp_path: Path) -> None:
    advice = script("advice")
    files = ("advice", "advice-proxy", "advice-mqtt", "advice-observed")
    costs: dict[str, dict[float, dict[int, float]]] = {}
    for file, side in zip(files, advice.SIDES, strict=True):
        results = lasthop.run(FOLDER / f"{file}.yaml", out=tmp_path / file, set=ADVICE)
        runs = advice.of_folder(results.path, side)
        costs |= advice.costs_of(runs, "readers", "bytes")
    both = {side for side, of_side in costs.items() if set(of_side) == {1, 30}}
    assert both == {"coap", "http", *TOLD, *(f"{it} proxy" for it in PULLED)}
    ratio = {side: advice.mean(costs[side][30]) / advice.mean(costs[side][1]) for side in both}
    assert all(20 < ratio[side] <= 31 for side in ("coap", "http"))
    # A reader alone of CoAP finds every second reading in the cache.
    assert all(0.8 < ratio[f"{side} proxy"] < 3 for side in PULLED)
    # What it publishes, or tells a proxy that observes it, it says once, whoever hears it.
    assert all(ratio[side] < 2 for side in TOLD)
    assert all(ratio[side] == 1 for side in TOLD if side.startswith("observed"))


def test_a_flip_is_where_two_lines_cross() -> None:
    advice = script("advice")
    costs = {
        "few": {1.0: {1: 10.0, 2: 10.0}, 11.0: {1: 110.0, 2: 110.0}},
        "many": {1.0: {1: 60.0, 2: 60.0}, 11.0: {1: 60.0, 2: 60.0}},
        "dear": {1.0: {1: 500.0}, 11.0: {1: 500.0}},
    }
    assert list(advice.flips(costs, ["few", "many", "dear"])) == ["few", "from 6 many"]
    assert list(advice.flips(costs, ["many"])) == ["many"]
    # Who does not deliver at one end is no line to cross.
    assert list(
        advice.flips({"few": {1.0: {1: 10.0}}, "many": costs["many"]}, ["few", "many"])
    ) == [
        "few",
        "between 1 and 11 many",
    ]

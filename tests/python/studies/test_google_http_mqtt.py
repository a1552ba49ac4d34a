"""The rerun of Google 2018: its phases as tshark counts them, and its round trips by hand."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

from lasthop.outcome.results import Results

FOLDER = Path(__file__).parents[3] / "studies" / "google-http-mqtt"

ROUND_TRIPS = {
    "mqtt": 4,
    "http 1.1": 3,
    "http 2": 3,
    "http 3": 2,
    "mqtt quic": 3,
    "mqtt 2018": 5,
    "http 2018": 4,
}
"""TCP, TLS 1.3 and the message take one each, TLS 1.2 and CONNECT one more; QUIC takes one."""


def script(name: str) -> ModuleType:
    """Load a program of the study."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """One connection of each stack, with its capture and its keys."""
    out = tmp_path_factory.mktemp("results") / "phases"
    command = [sys.executable, "-m", "lasthop", "run", str(FOLDER / "phases.yaml")]
    options = ["--set", "repeat=1", "--no-report", "--capture", "--keys", "--out", str(out)]
    subprocess.run([*command, *options], check=True, capture_output=True)
    return Results(out)


def test_a_message_takes_the_round_trips_of_its_layers(captured: Results) -> None:
    took = dict(captured.runs.select("stack", "response_mean_ms").iter_rows())
    assert took == {stack: 20 * trips for stack, trips in ROUND_TRIPS.items()}


def test_the_phases_that_tshark_sees_are_all_bytes_of_the_ledger(captured: Results) -> None:
    phases = script("phases")
    folder = captured.path / "captures"
    for run in captured.runs.iter_rows(named=True):
        found = phases.bytes_by_phase(
            folder / f"{run['run_id']}.device-0.pcapng", folder / f"{run['run_id']}.keys"
        )
        # SYN, SYN-ACK and ACK with 40 B of options together, IP and Ethernet.
        of_tcp = 3 * (20 + 20 + 14) + 20 + 20 + 12
        over_quic = run["stack"] in {"http 3", "mqtt quic"}
        assert found["TCP"] == (0 if over_quic else of_tcp)
        # A datagram that begins a connection has 1200 B (RFC 9000 section 14.1).
        assert not over_quic or found["TLS"] >= 2 * (14 + 20 + 8 + 1200)
        assert (found["MTU search"] > 0) == over_quic
        assert found.total() == run["wire_bytes_per_message_ethernet"]
        assert all(found[phase] for phase in ("TLS", "publish", "disconnect"))
        assert (found["connect"] == 0) == (run["stack"] in {"http 1.1", "http 3", "http 2018"})


def test_a_break_even_count_is_where_one_line_crosses_another() -> None:
    break_even = script("break_even")
    dear_to_begin = break_even.every({1: 110.0, 2: 120.0, 10: 200.0})
    dear_to_go_on = break_even.every({1: 50.0, 2: 80.0, 10: 320.0})
    assert dear_to_begin == [100.0 + 10 * n for n in range(1, 11)]
    # 100 + 10 n < 20 + 30 n from n = 5 on: at 4 both take 140.
    assert break_even.first_cheaper(dear_to_begin, dear_to_go_on) == "5"
    assert break_even.first_cheaper(dear_to_go_on, dear_to_begin) == "never"
    assert break_even.first_cheaper(dear_to_go_on[:3], dear_to_begin[:3]) == "always"
    runs = pl.DataFrame(
        {"stack": ["a", "a"], "traffic_telemetry_session": [10, 1], "latency": [3.0, 7.0]}
    )
    assert break_even.totals(runs, "a", "latency") == {1: 7.0, 10: 30.0}

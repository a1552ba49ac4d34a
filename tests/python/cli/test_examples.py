"""The examples run as a user runs them, and show what they say that they demonstrate."""

import json
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

from lasthop.outcome.results import Results

from .conftest import Lasthop

EXAMPLES = Path(__file__).parents[3] / "examples"
SHOWN_BELOW = {"flip-point", "settings", "close-call", "meter-sleep", "power-cut"}
BESIDE_REAL_SOFTWARE = {"broker"}  # tests/python/live/test_gate.py runs it


def answered(lasthop: Lasthop, name: str, *options: str) -> dict[str, Any]:
    """Run an example and read its answer."""
    file = str(EXAMPLES / f"{name}.yaml")
    done = lasthop("run", file, "--json", "--no-report", *options)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize(
    "name",
    sorted({file.stem for file in EXAMPLES.glob("*.yaml")} - SHOWN_BELOW - BESIDE_REAL_SOFTWARE),
)
def test_an_example_runs(lasthop: Lasthop, name: str) -> None:
    said = answered(lasthop, name)
    assert set(said["counts"]) == {"completed"}
    assert said["answer"]["headline"]


def test_the_question_of_the_meters_says_which_requirements_cannot_hold_together(
    lasthop: Lasthop,
) -> None:
    written = lasthop("init", "--example", "meters")
    assert written.returncode == 0, written.stderr
    done = lasthop("run", "meters.yaml", "--json", "--no-report")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)["answer"]
    assert answer["headline"] == "No stack meets all 4 requirements."
    years, together, *_ = answer["support"]
    assert years == "No stack meets battery life of at least 15 years in stratum 164 dB."
    valve = "share of messages delivered of at least 99 % in flow valve"
    megabytes = "billed bytes of a SIM in a month of at most 416.7 kB"
    assert together == (
        f"These requirements cannot hold together: {valve}, and {megabytes}. "
        f"coap misses {valve}; mqtt misses {megabytes}."
    )


def test_the_answer_flips_where_reports_no_longer_arrive(lasthop: Lasthop) -> None:
    (sweep,) = answered(lasthop, "flip-point")["answer"]["sweeps"]
    assert sweep["key"] == "path.loss"
    (flip,) = sweep["flips"]
    assert (flip["before"], flip["after"]) == ("coap type=non", "coap type=con")
    assert flip["requirement"] == "delivery_ratio >= 97 %"
    # Each report is one datagram: 97 % arrive at a loss of 3 %.
    assert flip["crossing"]["mean"] == pytest.approx(0.03, abs=0.005)
    assert flip["last"] <= flip["crossing"]["low"] <= flip["crossing"]["high"] <= flip["first"]


def test_quality_of_service_matters_more_than_the_delay_of_small_segments(
    lasthop: Lasthop,
) -> None:
    settings = answered(lasthop, "settings")["answer"]["settings"]
    assert {setting["name"] for setting in settings} == {"qos", "tcp.nodelay", "loss"}
    order = [(not setting["changed"], -setting["movement"]["mean"]) for setting in settings]
    assert order == sorted(order)
    by_name = {setting["name"]: setting for setting in settings}
    assert by_name["qos"]["worst"] == "2"
    assert by_name["tcp.nodelay"]["worst"] == "off"
    assert by_name["tcp.nodelay"]["movement"]["low"] > 0.05
    # 3 pairs of QoS at each of 2 losses; 3 pairs of two Nagle arms likewise.
    assert by_name["tcp.nodelay"]["cases"] == 6


def test_what_five_repetitions_leave_open_is_decided_by_more(lasthop: Lasthop) -> None:
    rounds = answered(lasthop, "close-call", "--until-decided")["until_decided"]
    assert rounds["rounds"][0]["repetitions"] == 5
    assert len(rounds["rounds"][0]["undecided"]) == 1
    assert rounds["decided"] is True
    assert 5 < rounds["rounds"][-1]["repetitions"] <= 50


def test_each_timer_of_a_sleeping_meter_moves_its_battery_the_way_it_should(
    lasthop: Lasthop,
) -> None:
    answered(lasthop, "meter-sleep")
    runs = Results(lasthop.folder / "results/meter-sleep").runs

    def years(part: str, *columns: str) -> list[float]:
        rows = runs.filter(pl.col("part") == part)
        means = rows.group_by(columns).agg(pl.col("battery_years").mean()).sort(columns)
        return means["battery_years"].to_list()

    reachable = years("t3324", "path_nbiot_psm_t3324_ms")
    assert reachable == sorted(reachable, reverse=True)
    assert reachable[-1] < 0.9 * reachable[0]
    updates = years("t3412", "path_nbiot_psm_t3412_ms")
    assert updates == sorted(updates)
    assert updates[0] < 0.8 * updates[-1]
    listening = years("edrx", "path_nbiot_edrx_cycle_ms")
    assert listening == sorted(listening)
    assert listening[0] < 0.2 * reachable[0]
    assert listening[-1] > 5 * listening[0]  # deep sleep between the windows
    held, assisted = (
        years("inactivity", "path_nbiot_release_assistance", "path_nbiot_inactivity_ms")[half]
        for half in (slice(0, 3), slice(3, 6))
    )
    assert held == sorted(held, reverse=True)
    assert held[-1] < 0.5 * held[0]
    assert max(assisted) == pytest.approx(min(assisted), rel=0.05)


def test_a_bad_day_costs_each_stack_what_it_cannot_say_again(
    lasthop: Lasthop, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    answered(lasthop, "power-cut", "--set", "repeat=2", "--out", str(folder))
    results = Results(folder)
    told = results.messages.join(results.runs.select("run_id", "stack"), on="run_id")
    failed = told.filter(pl.col("status") == "failed")
    minute = 60 * 10**9

    def due(stack: str, why: str) -> tuple[float, float]:
        of_stack = failed.filter(stack=stack, failure=why)["intended_ns"] / minute
        return cast("tuple[float, float]", (of_stack.min(), of_stack.max()))

    first, last = due("raw_udp", "outage")
    assert 9.99 < first < last < 12
    first, last = due("raw_udp", "port_unreachable")
    assert 34.99 < first < last < 35.2
    first, last = due("mqtt qos=0", "connection_lost")
    assert last > 59, "a connection from an address that is gone is not noticed within the hour"
    lost = dict(failed.group_by("stack").len().iter_rows())
    assert "mqtt qos=1" not in lost, "what was not acknowledged is said again"
    assert lost["coap type=con"] < lost["raw_udp"] < lost["mqtt qos=0"]
    # A fifth of the sensors were off for five minutes.
    (offered, *others) = results.runs["messages_offered"]
    assert 50 * 360 - 10 * 35 < offered < 50 * 360 - 10 * 28
    assert all(abs(other - offered) < 20 for other in others)

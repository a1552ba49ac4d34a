"""Servers and subscribers on lwIP: what they answer, and how far simulated ones are from it."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest

from lasthop.adapters import clients
from lasthop.errors import UsageError
from lasthop.running import live_engine
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

FOLDER = Path(__file__).parents[3] / "studies" / "yudayev-2019"
Needs = Callable[..., None]
QUICK = {"repeat": "2", "duration": "4 s", "measure.drain": "2 s"}


def _halves(name: str, out: Path, settings: Mapping[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give the runs on lwIP and those in virtual time."""
    installed(clients()["lwip"])
    command = [sys.executable, "-m", "lasthop", "run", str(FOLDER / name), "--engine", "both"]
    options = [option for key, value in settings.items() for option in ("--set", f"{key}={value}")]
    done = subprocess.run(
        [*command, "--out", str(out), "--quiet", "--jobs", "2", *options],
        check=False,
        timeout=400,
        capture_output=True,
        text=True,
    )
    assert done.returncode in {0, 1, 3}, done.stderr  # on a busy machine it may be too late
    live, virtual = (pl.read_parquet(out / half / "runs.parquet") for half in ("live", "virtual"))
    return live, virtual


@pytest.mark.soak
@pytest.mark.parametrize("name", ["twin-http.yaml", "twin-coap.yaml"])
def test_a_server_on_lwip_serves_as_the_simulated_one(
    needs: Needs, tmp_path: Path, name: str
) -> None:
    needs()
    live, virtual = _halves(name, tmp_path / "out", QUICK)
    assert live["delivery_ratio"].to_list() == virtual["delivery_ratio"].to_list()
    assert live["device_crashes_heap"].sum() == 0
    # Two times 10 ms, and the work of 20 ms: less is not to be had, on whichever of both.
    for runs in (live, virtual):
        assert (runs["latency_p50_ms"] >= 40).all(), runs["latency_p50_ms"]


CROWD = {
    "servers.esp.device.message": "120 ms",
    "measure.overload": "allow",
    "traffic.reading.spread": "10 ms",
    "stacks": "{http: http connection=per_message connections=1 timeout=1h impl=lwip}",
    "repeat": "2",
}
"""More requests than a device keeps up with, all at the same moment."""


@pytest.mark.soak
@pytest.mark.parametrize(("count", "duration"), [("10", "30 s"), ("100", "10 s")])
def test_a_server_on_lwip_loses_the_requests_that_the_simulated_one_loses(
    needs: Needs, tmp_path: Path, count: str, duration: str
) -> None:
    needs()
    # Where a path delays all alike, who of many comes first hangs on their numbers.
    span = {
        "duration": duration,
        "measure.drain": "60 s",
        "fleet.clients.count": count,
        "paths.wlan": "{delay: {around: 10 ms, spread: 2 %}}",
    }
    within = 0.08
    live, virtual = _halves("twin-http.yaml", tmp_path / "out", {**CROWD, **span})
    answered = [_share(runs, "messages_delivered") for runs in (live, virtual)]
    assert max(answered) < 0.9
    assert abs(answered[0] - answered[1]) <= within, answered
    # Of ten clients each that is lost is reset; of a hundred most still wait.
    reset = [_share(runs, "messages_failed") for runs in (live, virtual)]
    assert abs(reset[0] - reset[1]) <= within, reset


def _share(runs: pl.DataFrame, column: str) -> float:
    """Give the mean share of what was offered."""
    share: float = runs.select((pl.col(column) / pl.col("messages_offered")).mean()).item()
    return share


@pytest.mark.soak
def test_a_subscriber_on_lwip_loses_what_the_simulated_one_loses(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    live, virtual = _halves("twin-mqtt.yaml", tmp_path / "out", QUICK)
    assert virtual["delivery_ratio"].unique().to_list() == [0.2]
    # One client or two may be late, and then stand alone in a segment.
    assert (live["delivery_ratio"] >= 0.2).all()
    assert (live["delivery_ratio"] <= 0.3).all(), live["delivery_ratio"]


@pytest.mark.soak
def test_a_server_whose_heap_ends_boots_and_serves_again(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs()
    installed(clients()["lwip"])
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))
    settings = {
        "servers.esp.device.heap": "6000 B",
        "servers.esp.device.window": "3600 B",
        "servers.esp.device.boot": "200 ms",
        "engine": "live",
        "repeat": "1",
        "duration": "4 s",
        "measure.drain": "2 s",
    }
    study = load_study(FOLDER / "twin-http.yaml", overrides=list(settings.items()))
    (run,) = carry_out(Plan(study), out=tmp_path / "out", jobs=1).results.runs.to_dicts()
    assert run["device_crashes_heap"] > 0
    # The last boot may lie beyond the end.
    assert run["device_offline_s"] >= 0.2 * (run["device_crashes_heap"] - 1)
    assert run["device_events"].startswith("server of host 0 crashes at ")
    assert run["messages_delivered"] > 0


def test_other_software_is_no_constrained_device(needs: Needs, tmp_path: Path) -> None:
    needs("coap-server-notls")
    settings = {"stacks": "[coap impl=libcoap]", "engine": "live"}
    study = load_study(FOLDER / "twin-coap.yaml", overrides=list(settings.items()))
    with pytest.raises(
        UsageError,
        match=r"impl=libcoap: .* cannot be a constrained device",
    ):
        carry_out(Plan(study), out=tmp_path / "out", jobs=1)

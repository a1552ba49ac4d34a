"""Studies on mosquitto and libcoap: real programs behind our paths, in the tables of any run."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.adapters import Bindings
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

FOLDER = Path(__file__).parent
Needs = Callable[..., None]

ONE_WAY_MS = 30.0
"""The delay of the studies' link."""


def _run(
    name: str,
    out: Path,
    settings: Mapping[str, str] | None = None,
    *,
    bindings: Bindings | None = None,
) -> Results:
    study = load_study(FOLDER / name, overrides=list((settings or {}).items()))
    return carry_out(Plan(study), out=out, bindings=bindings, jobs=2).results


def _children() -> set[int]:
    """Give the processes that this one has started and that still run."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(child) for child in (task / "children").read_text().split()}
    return found


@pytest.mark.soak
def test_mosquitto_is_a_server_of_a_study(needs: Needs, tmp_path: Path) -> None:
    needs("mosquitto")
    before = _children()
    results = _run("mosquitto.yaml", tmp_path / "out")
    assert _children() <= before
    _check_tables(results)
    _check_bytes(results)


def _check_tables(results: Results) -> None:
    runs = results.runs
    assert runs["status"].to_list() == ["completed"] * 2, runs["reason"].to_list()
    assert runs["engine"].unique().to_list() == ["live"]
    assert runs["delivery_ratio"].to_list() == [1.0, 1.0]
    for latency in runs["latency_p50_ms"]:
        assert latency >= 2 * ONE_WAY_MS
    assert runs["lateness_max_ms"].max() is not None
    programs = results.programs
    assert programs["software"].to_list() == ["mosquitto"] * 2
    assert programs["version"].str.starts_with("2.").all()
    assert (programs["cpu_s"] > 0).all()
    assert (programs["memory_peak_bytes"] > 1_000_000).all()
    assert (programs["voluntary_switches"] > 0).all()
    # What came before the warm-up was over is in the table of programs alone.
    both = runs.join(programs, on="run_id")
    assert (both["server_cpu_s"] > 0).all()
    assert (both["server_cpu_s"] < both["cpu_s"]).all()
    assert (both["server_memory_peak_bytes"] == both["memory_peak_bytes"]).all()
    for run_id in runs["run_id"]:
        (log,) = (results.path / "logs").glob(f"{run_id}-*.log")
        assert "New client connected" in log.read_text()


def _check_bytes(results: Results) -> None:
    """Look whether those of the broker are told by layer and cause."""
    down = results.ledger.filter(direction="down", fate="offered")
    assert down.filter(cause="opaque").is_empty()
    payload = (
        down.filter(layer="application", cause="payload")
        .group_by("run_id")
        .agg(pl.col("bytes").sum())
    )
    assert payload.height == 2
    messages = 3000 // 250
    assert payload["bytes"].to_list() == [100 * messages] * 2


@pytest.mark.soak
def test_libcoap_hands_messages_on(needs: Needs, tmp_path: Path) -> None:
    needs("coap-server-notls")
    runs = _run("libcoap.yaml", tmp_path / "out").runs
    assert runs["status"].to_list() == ["completed"] * 2, runs["reason"].to_list()
    assert runs["delivery_ratio"].to_list() == [1.0, 1.0]
    for latency in runs["latency_p50_ms"]:
        assert latency >= 2 * ONE_WAY_MS


def test_a_build_of_ones_own_is_bound_on_the_command_line(needs: Needs, tmp_path: Path) -> None:
    needs("mosquitto")
    configuration = tmp_path / "own.conf"
    configuration.write_text("listener 1883\nallow_anonymous true\n")
    command = tmp_path / "broker"
    command.write_text(f'#!/bin/sh\nexec /usr/sbin/mosquitto -c {configuration} -p "$1"\n')
    command.chmod(0o755)
    results = _run(
        "mosquitto.yaml",
        tmp_path / "out",
        bindings=Bindings.read([f"mine={command} {{port}}"]),
        settings={"stacks": "[mqtt qos=0 impl=mine]"},
    )
    assert results.runs["delivery_ratio"].to_list() == [1.0], results.runs["reason"].to_list()
    (version,) = results.programs["version"]
    assert version.startswith("sha256:")


def test_a_program_that_dies_is_no_result(needs: Needs, tmp_path: Path) -> None:
    needs()
    broken = Bindings.read(["mine=sh -c 'echo no room >&2; exit 7'"])
    with pytest.raises(EnvironmentFailure, match=r"mine .* died \(exit 7\).*: no room$"):
        _run(
            "mosquitto.yaml",
            tmp_path / "out",
            bindings=broken,
            settings={"stacks": "[mqtt impl=mine]"},
        )


def test_a_program_that_never_listens_is_no_result(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs()
    monkeypatch.setattr("lasthop.adapters.own_command.OwnCommand.ready_s", 0.3)
    deaf = Bindings.read(["mine=sleep 60"])
    before = _children()
    with pytest.raises(EnvironmentFailure, match="does not listen at tcp port 1883"):
        _run(
            "mosquitto.yaml",
            tmp_path / "out",
            bindings=deaf,
            settings={"stacks": "[mqtt impl=mine]"},
        )
    assert _children() <= before


def test_a_run_that_was_too_late_is_done_again_and_never_counts(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mosquitto")
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {"lateness_max_ms": 0.0})
    monkeypatch.setattr(live_engine, "ATTEMPTS", 2)
    settings = {"duration": "1 s", "measure.warm_up": "0 s", "stacks": "[mqtt impl=mosquitto]"}
    results = _run("mosquitto.yaml", tmp_path / "out", settings)
    (run,) = results.runs.to_dicts()
    assert run["status"] == "invalid"
    assert "lateness_max is" in run["reason"]
    assert "in the last of 2 attempts" in run["reason"]
    assert run["latency_p50_ms"] is None


def test_a_program_that_others_keep_waiting_is_none_that_counts(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mosquitto")
    monkeypatch.setattr(
        live_engine, "PROGRAM_WAIT_LIMIT_MS", -1.0
    )  # a quiet machine: no wait at all
    monkeypatch.setattr(live_engine, "ATTEMPTS", 1)
    settings = {"duration": "1 s", "measure.warm_up": "0 s", "stacks": "[mqtt impl=mosquitto]"}
    (run,) = _run("mosquitto.yaml", tmp_path / "out", settings).runs.to_dicts()
    assert run["status"] == "invalid"
    assert "mosquitto waited" in run["reason"]
    assert "(measure.processor_wait)" in run["reason"]
    patient = settings | {"measure.processor_wait": "10 s"}
    (run,) = _run("mosquitto.yaml", tmp_path / "patient", patient).runs.to_dicts()
    assert run["status"] == "completed"


def test_a_study_names_no_command(tmp_path: Path) -> None:
    for written in ("./broker", "sh -c id", "/bin/sh"):
        with pytest.raises(lasthop.LasthopError):
            load_study(FOLDER / "mosquitto.yaml", overrides=[("stacks", f"[mqtt impl={written}]")])
    with pytest.raises(UsageError, match="impl=sh: there is no server software of this name"):
        _run("mosquitto.yaml", tmp_path / "out", settings={"stacks": "[mqtt impl=sh]"})
    assert not (tmp_path / "out").exists()


def test_what_a_server_cannot_tell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(lasthop.LasthopError, match="cannot be measured"):
        load_study(
            FOLDER / "mosquitto.yaml", overrides=[("traffic", "{report: 100 B, every: 1 s}")]
        )
    with pytest.raises(
        UsageError,
        match=r"it does not serve coap/udp; .* a stack of mqtt/tcp",
    ):
        _run("libcoap.yaml", tmp_path / "out", settings={"stacks": "[coap impl=mosquitto]"})


def test_a_server_that_sends_nobody_his_own_back_has_no_round_trips() -> None:
    with pytest.raises(lasthop.LasthopError, match='write "report" from one group "to" another'):
        load_study(FOLDER / "mosquitto.yaml", overrides=[("stacks", "[coap impl=libcoap]")])


def test_without_the_live_engine_real_software_is_not_simulated() -> None:
    study = load_study(FOLDER / "mosquitto.yaml", overrides=[("engine", "virtual")])
    assert {stack.reason for stack in study.stacks} == {
        "real software (impl=) runs only with --engine live"
    }


@pytest.mark.soak
def test_a_lab_that_was_stopped_does_its_run_again(needs: Needs, tmp_path: Path) -> None:
    """A whole process that stands still for a while is what a machine that sleeps looks like."""
    needs("mosquitto")
    out, command = tmp_path / "out", [sys.executable, "-m", "lasthop", "run"]
    command += [str(FOLDER / "mosquitto.yaml"), "--set", "stacks=[mqtt impl=mosquitto]"]
    with subprocess.Popen([*command, "--out", str(out), "--quiet", "--no-report"]) as lab:
        for _ in range(3000):
            if any(out.glob("logs/*")):
                break
            time.sleep(0.01)
        time.sleep(2.0)
        lab.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        lab.send_signal(signal.SIGCONT)
        assert lab.wait(60) == 0
    results = Results(out)
    assert results.runs["status"].to_list() == ["completed"]
    assert results.programs["attempt"].to_list() == [2]

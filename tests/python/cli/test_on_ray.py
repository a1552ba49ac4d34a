"""Runs on the workers of Ray: the bytes of a local folder, whatever dies meanwhile.

Ray takes five to ten seconds to start, so that this is for `make soak`.
"""

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import polars as pl
import pytest
from tests.python.processes import descendants
from tests.python.running.synthetic import wait_until

from .conftest import Lasthop
from .test_determinism import hashes
from .test_stopping import RUNS, SLOW_STUDY, parts, wait_for

# The middle case takes seconds, the others nothing.
HEAVY_STUDY = """\
study: heavy
duration: 30 min
traffic: {report: 60 B, every: 500 ms}
path: {delay: 100 ms, loss: 5 %}
stacks: [mqtt qos=1]
sweep:
  - {name: fleet, devices: [1, 100, 2]}
repeat: 1
"""
AGENT_PATIENCE_S = 60.0
"""Ray itself needs a quarter of a minute to see it."""
ON_RAY = ("run", "study.yaml", "--out", "out", "--no-report", "--on", "ray")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the hashes of the tables of a campaign in threads of one process."""
    lasthop = Lasthop(tmp_path_factory.mktemp("undisturbed"))
    lasthop.write("study.yaml", SLOW_STUDY)
    done = lasthop("run", "study.yaml", "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    return hashes(lasthop.folder / "out")


@pytest.fixture
def clean_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give Ray a folder for its sockets, whose name is short enough; nothing stays in it."""
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)
        assert not list(Path(folder).glob("lasthop-ray-*"))


def workers(process: "subprocess.Popen[str]") -> dict[int, str]:
    """Give the processes of Ray that simulate, with the id of the run that each is at."""
    lines = dict(descendants(process.pid))
    at_work = {
        number: re.fullmatch(r"ray::([0-9a-f]{16,})", line) for number, line in lines.items()
    }
    return {number: found[1] for number, found in at_work.items() if found is not None}


def kill_a_worker(process: "subprocess.Popen[str]", *, at: str | None = None) -> str:
    """Kill a worker while it simulates, the run that is named or any; return the run's id."""
    killed = ""

    def found() -> bool:
        nonlocal killed
        for number, run_id in workers(process).items():
            if at in (None, run_id):
                os.kill(number, signal.SIGKILL)
                killed = run_id
                wait_until(lambda number=number: number not in workers(process))  # type: ignore[misc]
                return True
        return False

    wait_for(found, process)
    return killed


def wait_until_ended(processes: Iterable[int]) -> None:
    wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in processes))


def finish(process: "subprocess.Popen[str]") -> str:
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    assert stderr == ""
    return stdout


@pytest.mark.soak
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_tables_have_the_bytes_of_a_local_folder(
    lasthop: Lasthop, undisturbed: dict[str, str], clean_temporary_folder: Path, jobs: str
) -> None:
    assert clean_temporary_folder.exists()
    lasthop.write("study.yaml", SLOW_STUDY)
    finish(lasthop.start(*ON_RAY, "--jobs", jobs))
    assert hashes(lasthop.folder / "out") == undisturbed


@pytest.mark.soak
def test_workers_that_are_killed_lose_no_run_and_change_no_byte(
    lasthop: Lasthop, undisturbed: dict[str, str], clean_temporary_folder: Path
) -> None:
    assert clean_temporary_folder.exists()
    lasthop.write("study.yaml", SLOW_STUDY.replace("devices: 8", "devices: 80"))
    local = lasthop("run", "study.yaml", "--out", "local", "--no-report")
    assert local.returncode == 0, local.stderr
    assert hashes(lasthop.folder / "local") != undisturbed
    process = lasthop.start(*ON_RAY, "--jobs", "2")
    killed = [kill_a_worker(process)]
    wait_for(lambda: parts(lasthop.folder / "out") >= 8, process)
    killed.append(kill_a_worker(process))
    assert f"{RUNS} completed" in finish(process)
    assert len(set(killed)) == len(killed)
    assert hashes(lasthop.folder / "out") == hashes(lasthop.folder / "local")


@pytest.mark.soak
def test_a_run_at_which_three_workers_died_is_failed_with_the_reason_and_no_other_is(
    lasthop: Lasthop, clean_temporary_folder: Path
) -> None:
    assert clean_temporary_folder.exists()
    lasthop.write("study.yaml", HEAVY_STUDY)
    process = lasthop.start(*ON_RAY, "--jobs", "1")
    # The others are done before somebody looks, so that it is the heavy one that is found.
    wait_for(lambda: parts(lasthop.folder / "out") >= 1, process)
    heavy = kill_a_worker(process)
    for _ in range(2):
        assert kill_a_worker(process, at=heavy) == heavy
    told = finish(process)
    runs = pl.read_parquet(lasthop.folder / "out/runs.parquet").sort("devices")
    assert runs["devices"].to_list() == [1, 2, 100]
    assert runs["status"].to_list() == ["completed", "completed", "failed"]
    reason = "its worker died 3 times, the last time because its process ended"
    assert runs["reason"].to_list() == [None, None, reason]
    assert runs["run_id"][2] == heavy
    assert "2 completed, 1 failed" in told
    assert f"1 failed: {reason}" in told


@pytest.mark.soak
@pytest.mark.parametrize("program", ["raylet/raylet ", "dashboard/agent.py"])
def test_an_agent_of_the_node_that_dies_ends_the_command_with_a_line(
    lasthop: Lasthop, clean_temporary_folder: Path, program: str
) -> None:
    assert clean_temporary_folder.exists()
    lasthop.write("study.yaml", SLOW_STUDY.replace("devices: 8", "devices: 80"))
    process = lasthop.start(*ON_RAY, "--jobs", "1")
    wait_for(lambda: parts(lasthop.folder / "out") >= 2, process)
    (agent,) = [number for number, line in descendants(process.pid) if program in line]
    started = dict(descendants(process.pid))
    os.kill(agent, signal.SIGKILL)
    _, stderr = process.communicate(timeout=AGENT_PATIENCE_S)
    assert process.returncode == 4
    (line,) = stderr.splitlines()
    assert line.startswith("lasthop: --on ray: Ray's agent on this machine (raylet) has died")
    assert line.endswith("run the same command again")
    wait_until_ended(started)
    assert parts(lasthop.folder / "out") >= 2


@pytest.mark.soak
@pytest.mark.parametrize("resumed", ["on Ray", "here"])
def test_ctrl_c_in_a_terminal_keeps_what_is_finished_and_leaves_nothing_running(
    lasthop: Lasthop, undisturbed: dict[str, str], clean_temporary_folder: Path, resumed: str
) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    out = lasthop.folder / "out"
    process = subprocess.Popen(
        [sys.executable, "-m", "lasthop", *ON_RAY, "--jobs", "2"],
        cwd=lasthop.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    wait_for(lambda: parts(out) >= 4, process)
    started = dict(descendants(process.pid))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert stdout == ""
    assert len(stderr.splitlines()) == 1
    assert "to continue: lasthop run study.yaml --out out" in stderr
    finished = parts(out)
    assert 4 <= finished < RUNS
    assert pl.read_parquet(out / "runs.parquet")["run_id"].n_unique() == finished
    wait_until_ended(started)
    assert list(clean_temporary_folder.iterdir()) == []
    if resumed == "here":
        done = lasthop("run", "study.yaml", "--out", "out", "--no-report")
        assert done.returncode == 0, done.stderr
    else:
        finish(lasthop.start(*ON_RAY, "--jobs", "2"))
    assert hashes(out) == undisturbed


@pytest.mark.soak
def test_a_shard_and_chosen_runs_and_rounds_of_repetitions_run_there_too(
    lasthop: Lasthop, clean_temporary_folder: Path
) -> None:
    assert clean_temporary_folder.exists()
    lasthop.write("study.yaml", SLOW_STUDY.replace("repeat: 4", "repeat: 2"))
    undecided = SLOW_STUDY.replace("repeat: 4", "repeat: 2").replace(
        "loss, path.loss: [0 %, 5 %, 10 %]", "base"
    )
    lasthop.write("rounds.yaml", undecided + "decide: {minimise: latency_p50}\n")
    whole = ("run", "study.yaml", "--no-report")
    assert lasthop(*whole, "--out", "whole").returncode == 0
    run_id = pl.read_parquet(lasthop.folder / "whole/runs.parquet")["run_id"][3]
    rounds = ("run", "rounds.yaml", "--until-decided", "--at-most", "4", "--no-report")
    for chosen in (
        (*whole, "--shard", "2/3"),
        (*whole, "--only", run_id[:12]),
        rounds,
    ):
        here = lasthop(*chosen, "--out", "here")
        there = lasthop(*chosen, "--out", "there", "--on", "ray", "--jobs", "2", environment={})
        assert there.returncode == here.returncode == 0, there.stderr
        assert hashes(lasthop.folder / "there") == hashes(lasthop.folder / "here")
        assert there.stdout.replace("there", "here") == here.stdout
        for folder in ("here", "there"):
            (lasthop.folder / folder).rename(lasthop.folder / f"{folder}-{chosen[-1][:1]}")


@pytest.fixture
def cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[dict[str, str]], str]]:
    """Start a cluster of one machine with these variables; give what `--on` calls it."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    started: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(prefix="r") as folder:

        def start(environment: dict[str, str]) -> str:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            ray = Path(sys.executable).parent / "ray"
            options = [f"--ray-client-server-port={port}", "--num-cpus=2", f"--temp-dir={folder}"]
            log = tmp_path / "cluster.log"
            with log.open("wb") as written:
                head = subprocess.Popen(
                    [ray, "start", "--head", "--block", "--port=0", *options],
                    env={**os.environ, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=written,
                    stderr=written,
                )
            started.append(head)
            wait_until(
                lambda: b"Ray runtime started" in log.read_bytes() or head.poll() is not None
            )
            assert head.poll() is None, log.read_text()
            return f"ray://127.0.0.1:{port}"

        yield start
        for head in started:
            started_by_it = dict(descendants(head.pid))
            head.terminate()
            head.wait()
            wait_until_ended(started_by_it)


@pytest.mark.soak
def test_a_cluster_gives_the_bytes_of_a_local_folder_and_serves_the_next_campaign(
    lasthop: Lasthop, undisturbed: dict[str, str], cluster: Callable[[dict[str, str]], str]
) -> None:
    there = cluster({})
    lasthop.write("study.yaml", SLOW_STUDY)
    run = ("run", "study.yaml", "--no-report", "--on", there)
    first = lasthop(*run, "--out", "first", environment={})
    assert (first.returncode, first.stderr) == (0, "")
    second = lasthop(*run, "--out", "second", "--jobs", "1", environment={})
    assert (second.returncode, second.stderr) == (0, "")
    assert hashes(lasthop.folder / "first") == hashes(lasthop.folder / "second") == undisturbed


@pytest.mark.soak
@pytest.mark.parametrize(
    ("version", "has"), [('__version__ = "0.0.9"\n', "lasthop 0.0.9"), ("import nothing\n", "no")]
)
def test_workers_with_another_lasthop_are_refused_in_one_line(
    lasthop: Lasthop, cluster: Callable[[dict[str, str]], str], version: str, has: str
) -> None:
    other = lasthop.folder / "other/lasthop"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    (other / "version.py").write_text(version.replace("nothing", "lasthop_of_nobody"))
    there = cluster({"PYTHONPATH": str(other.parent)})
    lasthop.write("study.yaml", SLOW_STUDY)
    done = lasthop("run", "study.yaml", "--out", "out", "--on", there, environment={})
    assert done.returncode == 4
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"has {has}" in done.stderr
    assert "install the same version on every machine of the cluster" in done.stderr
    assert not (lasthop.folder / "out").exists()


@pytest.mark.soak
def test_a_cluster_that_does_not_answer_is_told_in_one_line(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    there = "ray://127.0.0.1:9"
    done = lasthop("run", "study.yaml", "--out", "out", "--on", there, environment={})
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith(f"lasthop: --on {there}: ray client connection timeout")
    assert not (lasthop.folder / "out").exists()

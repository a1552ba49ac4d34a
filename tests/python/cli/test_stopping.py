"""Stopped at any moment: what was finished is kept, and a resume gives the same bytes."""

import os
import platform
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from .conftest import COMMAND, Lasthop
from .test_determinism import hashes

# Runs of about a tenth of a second, so that a signal finds several finished and several running.
SLOW_STUDY = """\
study: slow
duration: 10 min
devices: 8
traffic: {report: 60 B, every: 500 ms}
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}, rate: 50 kbit/s}
stacks: [raw_udp, raw_udp ack=on]
sweep:
  - {name: loss, path.loss: [0 %, 5 %, 10 %]}
repeat: 4
"""
RUNS = 24


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the hashes of the tables of a campaign that nothing stopped."""
    lasthop = Lasthop(tmp_path_factory.mktemp("undisturbed"))
    lasthop.write("study.yaml", SLOW_STUDY)
    done = lasthop("run", "study.yaml", "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    return hashes(lasthop.folder / "out")


def wait_for(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 600
    while not condition():
        assert process.poll() is None, "it ended before the signal came"
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.002)


def parts(out: Path) -> int:
    return len(list((out / "parts").glob("*.part")))


@pytest.mark.soak
def test_five_kills_and_a_resume_give_the_tables_of_an_undisturbed_campaign(
    lasthop: Lasthop, undisturbed: dict[str, str]
) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    out = lasthop.folder / "out"

    def kill_when(condition: Callable[[], bool]) -> None:
        process = lasthop.start("run", "study.yaml", "--out", "out", "--no-report")
        wait_for(condition, process)
        process.kill()
        process.communicate()

    kill_when((out / ".lock").exists)
    for enough in (1, 6, 15):
        kill_when(lambda enough=enough: parts(out) >= enough)  # type: ignore[misc]
    assert parts(out) >= 15
    kill_when((out / ".runs.parquet.tmp").exists)
    assert parts(out) == RUNS
    done = lasthop("run", "study.yaml", "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert hashes(out) == undisturbed
    assert not list(out.rglob(".*"))
    assert not (out / "parts").exists()


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_continue(
    lasthop: Lasthop, undisturbed: dict[str, str]
) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    out = lasthop.folder / "out"
    process = lasthop.start("run", "study.yaml", "--out", "out", "--jobs", "2", "--no-report")
    wait_for(lambda: parts(out) >= 4, process)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert len(stderr.splitlines()) == 1
    assert "to continue: lasthop run study.yaml --out out" in stderr
    finished = parts(out)
    assert 4 <= finished < RUNS
    runs = pl.read_parquet(out / "runs.parquet")
    assert runs["run_id"].n_unique() == finished
    assert not (out / ".lock").exists()
    done = lasthop("run", "study.yaml", "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert hashes(out) == undisturbed


def test_ctrl_c_twice_leaves_at_once_and_nothing_is_corrupt(
    lasthop: Lasthop, undisturbed: dict[str, str]
) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    out = lasthop.folder / "out"
    process = lasthop.start("run", "study.yaml", "--out", "out", "--jobs", "2", "--no-report")
    wait_for(lambda: parts(out) >= 3, process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    finished = parts(out)
    done = lasthop("run", "study.yaml", "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert finished >= 3
    assert hashes(out) == undisturbed


def test_a_second_runner_on_the_folder_is_refused(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SLOW_STUDY.replace("devices: 8", "devices: 500"))
    out = lasthop.folder / "out"
    first = lasthop.start("run", "study.yaml", "--out", "out", "--no-report")
    wait_for((out / "parts").exists, first)
    second = lasthop("run", "study.yaml", "--out", "out")
    first.kill()
    first.communicate()
    assert second.returncode == 4
    assert second.stderr == (
        "lasthop: out: another lasthop process is using this folder, process "
        f"{first.pid} on {platform.node()}; wait until it ends, or choose another "
        "--out\n"
    )


def test_a_complete_folder_says_so_and_redoes_nothing(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SLOW_STUDY.replace("repeat: 4", "repeat: 1"))
    lasthop("run", "study.yaml", "--out", "out", "--no-report")
    before = {path.name: path.stat().st_mtime_ns for path in (lasthop.folder / "out").iterdir()}
    again = lasthop("run", "study.yaml", "--out", "out", "--no-report")
    assert again.returncode == 0
    assert "nothing was run" in again.stdout
    after = {path.name: path.stat().st_mtime_ns for path in (lasthop.folder / "out").iterdir()}
    assert {name for name in before if before[name] != after[name]} <= {"manifest.json"}


def test_a_folder_of_another_study_is_refused(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SLOW_STUDY.replace("repeat: 4", "repeat: 1"))
    lasthop.write("other.yaml", SLOW_STUDY.replace("slow", "other").replace("4", "1"))
    lasthop("run", "study.yaml", "--out", "out", "--no-report")
    before = hashes(lasthop.folder / "out")
    done = lasthop("run", "other.yaml", "--out", "out")
    assert done.returncode == 2
    assert (
        done.stderr == "lasthop: out: it has results of another study, slow; choose another --out\n"
    )
    assert hashes(lasthop.folder / "out") == before


@pytest.mark.parametrize(
    ("out", "code"), [("study.yaml/out", 2), ("/proc/lasthop", 4), ("study.yaml", 2)]
)
def test_a_folder_that_cannot_be_made_is_refused(lasthop: Lasthop, out: str, code: int) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    done = lasthop("run", "study.yaml", "--out", out)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert out in done.stderr
    assert "Traceback" not in done.stderr


def in_a_small_file_system(lasthop: Lasthop, script: str) -> "subprocess.CompletedProcess[str]":
    """Run a shell script in a mount name space of its own, `$LASTHOP` being the command."""
    prefix = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-rm"]
    probe = subprocess.run(
        [*prefix, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False, capture_output=True
    )
    if probe.returncode != 0:
        pytest.skip("this machine lets nobody mount a small file system")
    (lasthop.folder / "disk").mkdir()
    return subprocess.run(
        [*prefix, "sh", "-uc", script],
        cwd=lasthop.folder,
        env={**os.environ, "LASTHOP": " ".join(COMMAND)},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )


def test_a_full_disk_keeps_finished_runs_and_the_same_command_continues(
    lasthop: Lasthop, undisturbed: dict[str, str]
) -> None:
    lasthop.write("study.yaml", SLOW_STUDY)
    done = in_a_small_file_system(
        lasthop,
        """
        mount -t tmpfs -o size=12m tmpfs disk
        $LASTHOP run study.yaml --out disk/out --jobs 1 --no-report
        echo "exit $?"
        echo "kept $(ls disk/out/parts/*.part | wc -l), left $(ls -A disk/out/parts | grep -c tmp)"
        mount -o remount,size=1g disk
        $LASTHOP run study.yaml --out disk/out --no-report
        echo "exit $?"
        cp -r disk/out copy
        """,
    )
    assert "exit 4" in done.stdout, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1
    assert "No space left on device; free some space" in done.stderr
    kept = int(done.stdout.split("kept ")[1].split(",")[0])
    assert 0 < kept < RUNS
    assert "left 0" in done.stdout
    assert "exit 0" in done.stdout
    assert hashes(lasthop.folder / "copy") == undisturbed


def test_a_read_only_folder_is_refused_and_left_as_it_was(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SLOW_STUDY.replace("repeat: 4", "repeat: 1"))
    done = in_a_small_file_system(
        lasthop,
        """
        mount -t tmpfs -o size=100m tmpfs disk
        mkdir disk/out
        mount -o remount,ro disk
        $LASTHOP run study.yaml --out disk/out
        echo "exit $?"
        $LASTHOP run study.yaml --out disk/new
        echo "exit $?"
        """,
    )
    assert done.stdout == "exit 4\nexit 4\n"
    assert done.stderr.count("\n") == 2
    assert done.stderr.count("Read-only file system; choose another folder") == 2

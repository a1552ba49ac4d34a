"""The summary of a job: what failed, by which message, in which packet."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.python.warm_command import run_warm

from lasthop.outcome.results import Results

PATIENCE_S = 120.0

STUDY = """
study: gate
duration: 20 s
measure: {drain: 10 s}
traffic: {report: 100 B, every: 250 ms}
path: {loss: 20 %, delay: 20 ms}
stacks: [raw_udp]
repeat: 2
expect: [delivery_ratio == 100 %, messages_duplicated == 0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gate.yaml").write_text(STUDY)
    return tmp_path


def _run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["run", "gate.yaml", "--out", "out", "--quiet", "--no-report", *arguments]
    return run_warm(command, folder=folder, timeout=PATIENCE_S)


def test_a_message_that_was_lost_is_named_with_its_packet(folder: Path) -> None:
    done = _run(folder, "--capture", "--summary", "summary.md")
    assert done.returncode == 1, done.stderr
    told = (folder / "summary.md").read_text()
    assert "| ❌ failed | share of messages delivered of exactly 100 % | 0 of 2 hold |" in told
    assert "| ✅ held | no messages duplicated | 2 of 2 hold |" in told
    assert "### share of messages delivered of exactly 100 %" in told
    assert "expectation failed: share of messages delivered of exactly 100 %: false in " in told
    assert "Expectation(" not in told
    assert "never arrived (loss)" in told
    assert "--only" in told
    packet = int(told.partition("Packet ")[2].split()[0].rstrip(","))
    name = told.partition("of `captures/")[2].partition("`")[0]
    if shutil.which("tshark") is not None:
        _check_packet(folder / "out" / "captures" / name, packet)


def _check_packet(capture: Path, number: int) -> None:
    """A packet with a comment is one that the path dropped."""
    fields = ["-T", "fields", "-e", "frame.comment"]
    command = ["tshark", "-r", str(capture), "-Y", f"frame.number == {number}", *fields]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "loss" in told.stdout


@pytest.mark.parametrize(
    ("file", "complaint"),
    [("nowhere/summary.md", "cannot be written"), (".", "is a folder")],
)
def test_a_summary_that_cannot_be_written_is_told_before_the_runs(
    folder: Path, file: str, complaint: str
) -> None:
    done = _run(folder, "--summary", file)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"lasthop: --summary: {file} {complaint}")
    assert not (folder / "out").exists()


def test_rounds_of_repetitions_have_one_summary(folder: Path) -> None:
    study = f"{STUDY}decide: {{minimise: latency_p95}}\n"
    (folder / "gate.yaml").write_text(study)
    _run(folder, "--until-decided", "--at-most", "3", "--summary", "summary.md")
    assert (folder / "summary.md").read_text().count("## lasthop: gate") == 1


def test_the_command_of_the_summary_shows_it_again(folder: Path) -> None:
    _run(folder, "--summary", "summary.md")
    told = (folder / "summary.md").read_text()
    assert "Its packets were not kept; `--capture device-0` keeps them." in told
    command = told.partition("```sh\n")[2].partition("\n")[0].split()
    again = run_warm(command[command.index("run") :], folder=folder, timeout=PATIENCE_S)
    assert again.returncode == 1, again.stderr  # as the gate did, so that `git bisect run` can
    number = int(told.partition("Message ")[2].split()[0])
    results = Results(folder / command[-2])
    (message,) = results.messages.filter(message=number).to_dicts()
    assert message["status"] == "failed"
    (capture,) = (results.path / "captures").iterdir()
    assert capture.name.endswith(".device-0.pcapng")


def test_steps_of_a_job_share_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "job.md"))
    (folder / "job.md").write_text("# before\n")
    _run(folder)
    told = (folder / "job.md").read_text()
    assert told.startswith("# before\n")
    assert "## lasthop: gate" in told

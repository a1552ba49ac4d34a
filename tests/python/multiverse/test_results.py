"""A multiverse that was run: its file, its report, what the command says."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.warm_command import run_warm

import lasthop
from lasthop.outcome.results import Results
from lasthop.report.write import figure_names, write_figure
from lasthop.running.plan import Plan
from lasthop.running.progress import Silence
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import MULTIVERSE

if TYPE_CHECKING:
    import subprocess

SHORT = MULTIVERSE.replace("duration: 1 min", "duration: 20 s")


def command(*arguments: object) -> "subprocess.CompletedProcess[str]":
    # The time is a guard, no verdict.
    return run_warm([*map(str, arguments)], folder=Path.cwd(), timeout=600)


@pytest.fixture
def results(folder: Path) -> Results:
    (folder / "multiverse.yaml").write_text(SHORT)
    return lasthop.run(folder / "multiverse.yaml", out=folder / "out", jobs=1)


def test_the_file_does_not_depend_on_the_number_of_workers(results: Results, folder: Path) -> None:
    again = lasthop.run(folder / "multiverse.yaml", out=folder / "again", jobs=3)
    first = (results.path / "multiverse.json").read_bytes()
    assert (again.path / "multiverse.json").read_bytes() == first
    document = json.loads(first)
    assert document == results.multiverse
    assert document["of"] == "original"
    assert [choice["name"] for choice in document["choices"]] == [
        "qos",
        "tcp.nodelay",
        "path.reordering",
    ]
    assert [claim["id"] for claim in document["claims"]] == ["LATE", "CONTROL", "ORDER"]
    assert all(claim["universes"] == 8 for claim in document["claims"])


def test_who_watches_hears_of_every_universe(folder: Path) -> None:
    class Told(Silence):
        def __init__(self) -> None:
            self.announced: list[int] = []
            self.judged = 0

        def judging(self, *, universes: int) -> None:
            self.announced.append(universes)

        def universe_judged(self) -> None:
            self.judged += 1

    (folder / "multiverse.yaml").write_text(SHORT)
    told = Told()
    carry_out(Plan(load_study(folder / "multiverse.yaml")), out=folder / "out", progress=told)
    assert told.announced == [3 * 8]
    assert told.judged == 3 * 8


def test_an_ordinary_study_has_no_such_file(folder: Path) -> None:
    found = lasthop.run(folder / "study.yaml", out=folder / "plain", quick=True)
    assert found.multiverse is None
    assert not (found.path / "multiverse.json").exists()


def test_a_shard_alone_says_nothing_and_the_merged_ones_do(folder: Path) -> None:
    (folder / "multiverse.yaml").write_text(SHORT)
    shards = [folder / "one", folder / "two"]
    for number, out in enumerate(shards, start=1):
        file = folder / "multiverse.yaml"
        done = command("run", file, "--shard", f"{number}/2", "--out", out, "--quiet")
        assert done.returncode == 0
        assert not (out / "multiverse.json").exists()
    merged = folder / "merged"
    assert command("report", *shards, "--out", merged).returncode == 0
    assert len(json.loads((merged / "multiverse.json").read_text())["claims"]) == 3


def test_the_report_has_a_section_and_a_figure_for_each_claim(results: Results) -> None:
    page = results.report().read_text()
    assert '<details class="section" id="multiverse"' in page
    assert "original leaves 3 choices open: 8 readings of it" in page
    assert "needs the part loss" in page
    names = figure_names([results.path])
    assert names == ("multiverse-LATE", "multiverse-CONTROL", "multiverse-ORDER")
    for name in names:
        image = write_figure([results.path], name, out=results.path / f"{name}.svg")
        assert "path.reordering = off" in image.read_text()


def test_the_command_says_what_decides(results: Results) -> None:
    done = command("report", results.path)
    assert done.returncode == 0
    told = done.stdout
    assert "original leaves 3 choices open: 8 readings of it, each in place of mqtt qos=1." in told
    assert "LATE: mean latency of MQTT, published 100 ms" in told
    assert "of the readings; ours" in told
    assert "qos = 0" in told
    assert "UDP is not judged here: it is not about mqtt qos=1" in told


def test_a_damaged_file_is_refused_in_one_line(results: Results) -> None:
    (results.path / "multiverse.json").write_text("{")
    done = command("report", results.path)
    assert done.returncode == 4
    assert (
        "multiverse.json: the file was changed after lasthop wrote it; run the study again"
        in done.stderr
    )
    assert done.stderr.count("\n") == 1

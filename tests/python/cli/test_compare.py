"""`lasthop compare`: what changed between two result folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Lasthop

STUDY = """\
study: pair
duration: 20 s
measure: {drain: 10 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 5 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp, raw_udp ack=on, dds]
sweep:
  - {name: loss, path.loss: [0 %, 10 %]}
repeat: 5
decide: {minimise: latency_p50}
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return a folder with results of one study, of a slower path, and of fewer stacks."""
    lasthop = Lasthop(tmp_path_factory.mktemp("compare"))
    lasthop.write("study.yaml", STUDY)
    variants = {
        "base": (),
        "again": (),
        "slower": ("--set", "path.delay.around=120 ms"),
        "faster": ("--set", "path.delay.around=80 ms"),
        "seed": ("--seed", "2"),
        "more": ("--set", "repeat=7"),
        "fewer": ("--set", "stacks=[raw_udp]", "--set", "sweep=[{name: loss, path.loss: [0 %]}]"),
        "apart": ("--set", "sweep=[{name: delay, path.delay.around: [1 s, 2 s]}]"),
    }
    for name, options in variants.items():
        done = lasthop("run", "study.yaml", "--out", name, "--no-report", *options)
        assert done.returncode == 0, done.stderr
    garbage = lasthop.folder / "garbage"
    garbage.mkdir()
    (garbage / "manifest.json").write_bytes((lasthop.folder / "base/manifest.json").read_bytes())
    (garbage / "runs.parquet").write_bytes(b"no table")
    return lasthop


def compared(folders: Lasthop, base: str, new: str, *options: str) -> dict[str, Any]:
    """Compare two folders and read what is said as JSON."""
    done = folders("compare", base, new, "--json", *options)
    assert done.stderr == ""
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["exit_code"] == done.returncode
    return said


def test_the_same_results_are_the_same(folders: Lasthop) -> None:
    said = compared(folders, "base", "again")
    assert said["exit_code"] == 0
    assert said["counts"] == {"worse": 0, "better": 0, "undecided": 0, "same": 2 * 2 * 7}
    assert said["differences"] == []


def test_a_slower_path_is_worse_and_exits_1(folders: Lasthop) -> None:
    said = compared(folders, "base", "slower", "--smallest-effect", "5 %")
    assert said["exit_code"] == 1
    median = next(
        change
        for change in said["changes"]
        if (change["stack"], change["column"]) == ("raw_udp", "latency_p50_ms")
    )
    assert median["point"] == {"path.loss": "0 %".replace(" ", "\N{NO-BREAK SPACE}")}
    assert median["verdict"] == "worse"
    assert median["paired"] is True
    assert median["change"]["mean"] == pytest.approx(0.2, abs=0.01)
    assert median["standardised"] > 1
    assert said["differences"] == [
        "delay: 100 ms ± 20 %, uniform in the base, 120 ms ± 20 %, uniform in the new"
    ]
    assert compared(folders, "slower", "base")["counts"]["better"] == said["counts"]["worse"]


def test_a_large_smallest_effect_lets_a_change_pass(folders: Lasthop) -> None:
    assert compared(folders, "base", "slower", "--smallest-effect", "50 %")["exit_code"] == 0


def test_report_only_exits_0(folders: Lasthop) -> None:
    said = compared(folders, "base", "slower", "--report-only")
    assert said["exit_code"] == 0
    assert said["counts"]["worse"] > 0


def test_another_seed_is_said_and_compared_without_pairs(folders: Lasthop) -> None:
    said = compared(folders, "base", "seed")
    assert said["differences"] == ["seed: 1 in the base, 2 in the new"]
    assert not any(change["paired"] for change in said["changes"])
    assert said["exit_code"] == 0


def test_more_repetitions_are_compared_by_the_seeds_in_common(folders: Lasthop) -> None:
    said = compared(folders, "base", "more")
    assert said["differences"] == ["repetitions: 5 in the base, 7 in the new"]
    assert said["counts"]["same"] == len(said["changes"]) == 28


def test_what_only_one_folder_holds_is_named(folders: Lasthop) -> None:
    said = compared(folders, "base", "fewer")
    assert said["only_in_new"] == []
    alone = [(arm["stack"], *arm["point"].values()) for arm in said["only_in_base"]]
    assert len(alone) == 5
    assert {stack for stack, *_ in alone} == {"raw_udp", "raw_udp ack=on", "dds"}


def test_folders_without_a_common_arm_are_refused(folders: Lasthop) -> None:
    done = folders("compare", "base", "apart")
    assert done.returncode == 2
    assert "no arm in common" in done.stderr


def test_the_table_begins_with_what_got_worse(folders: Lasthop) -> None:
    done = folders("compare", "base", "slower")
    assert done.returncode == 1
    rows = done.stdout.splitlines()
    verdicts = [row.split()[0] for row in rows if row.startswith(("worse", "better", "undecided"))]
    assert verdicts[0] == "worse"
    assert verdicts == sorted(verdicts, key=["worse", "better", "undecided"].index)
    assert rows[-2].startswith("changes  ")
    assert "Holm" in rows[-1]
    assert "same " not in done.stdout.replace("0 same", "")
    assert "same " in folders("compare", "base", "slower", "--all").stdout


def test_a_stack_that_no_longer_completes_is_worse(folders: Lasthop, tmp_path: Path) -> None:
    damaged = without_completed_runs(folders.folder / "base", tmp_path / "damaged")
    done = folders("compare", "base", str(damaged))
    assert done.returncode == 1
    lines = [line for line in done.stdout.splitlines() if line.startswith("worse")]
    assert len(lines) == 2
    assert "5 completed; now 0 completed, 5 invalid (made up)" in lines[0]


def without_completed_runs(source: Path, target: Path) -> Path:
    """Copy a folder and mark every run of one stack as invalid."""
    import polars as pl  # noqa: PLC0415

    target.mkdir()
    (target / "manifest.json").write_bytes((source / "manifest.json").read_bytes())
    runs = pl.read_parquet(source / "runs.parquet")
    spoilt = pl.col("stack") == "raw_udp ack=on"
    runs.with_columns(
        status=pl.when(spoilt).then(pl.lit("invalid")).otherwise(pl.col("status")),
        reason=pl.when(spoilt).then(pl.lit("made up")).otherwise(pl.col("reason")),
    ).write_parquet(target / "runs.parquet")
    return target


@pytest.mark.parametrize(
    ("arguments", "clue"),
    [
        (["base"], "NEW"),
        (["base", "nowhere"], "nowhere"),
        (["base", "study.yaml"], "study.yaml"),
        (["base", "garbage"], "garbage/runs.parquet"),
        (["base", "again", "--smallest-effect", "5"], 'write "5 %"'),
        (["base", "again", "--smallest-effect", "much"], "--smallest-effect"),
        (["base", "again", "--smallest-effect", "-5 %"], "--smallest-effect"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_refused_in_one_line(
    folders: Lasthop, arguments: list[str], clue: str
) -> None:
    done = folders("compare", *arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert clue in done.stderr

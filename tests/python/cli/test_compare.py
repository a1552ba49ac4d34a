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
stacks: [raw_udp, raw_udp ack=on, mqtt_sn]
sweep:
  - {name: loss, path.loss: [0 %, 10 %]}
repeat: 5
decide: {minimise: latency_p50}
"""

DETECTS = (
    "detects  with 5 repetitions a folder, in 80\N{NO-BREAK SPACE}% of cases: latency_p50 from "
)


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
        "renamed": ("--set", "sweep=[{name: lost, path.loss: [0 %, 10 %]}]"),
    }
    for name, options in variants.items():
        done = lasthop("run", "study.yaml", "--out", name, "--no-report", *options)
        assert done.returncode == 0, done.stderr
    garbage = lasthop.folder / "garbage"
    garbage.mkdir()
    copy_manifest(lasthop.folder / "base", garbage)
    (garbage / "runs.parquet").write_bytes(b"no table")
    return lasthop


def copy_manifest(source: Path, target: Path) -> None:
    """Copy it without digests, as of a folder from before there were any."""
    manifest = json.loads((source / "manifest.json").read_text(encoding="utf-8"))
    del manifest["digests"], manifest["digest"]
    (target / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


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
    assert said["counts"] == {"worse": 0, "better": 0, "undecided": 0, "same": 2 * 2 * 9}
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
    assert said["counts"]["same"] == len(said["changes"]) == 36


def test_what_only_one_folder_holds_is_named(folders: Lasthop) -> None:
    said = compared(folders, "base", "fewer")
    assert said["only_in_new"] == []
    alone = [(arm["stack"], *arm["point"].values()) for arm in said["only_in_base"]]
    assert len(alone) == 5
    assert {stack for stack, *_ in alone} == {"raw_udp", "raw_udp ack=on", "mqtt_sn"}


def test_folders_without_a_common_arm_are_refused(folders: Lasthop) -> None:
    done = folders("compare", "base", "apart")
    assert done.returncode == 2
    assert "have no stack at the same point in common" in done.stderr


def test_results_that_did_not_change_are_one_line_and_the_scale(folders: Lasthop) -> None:
    lines = folders("compare", "base", "again").stdout.splitlines()
    assert lines[0] == "no change: 36 of 36 within the smallest effect"
    assert len(lines) == 3
    assert lines[1].startswith("scale    ")
    assert lines[2].startswith(DETECTS)
    assert len(folders("compare", "base", "again", "--all").stdout.splitlines()) == 3 + 36 + 1


def test_the_summary_comes_first_and_what_changed_next(folders: Lasthop) -> None:
    done = folders("compare", "base", "slower")
    assert done.returncode == 1
    said = compared(folders, "base", "slower")
    counts = said["counts"]
    lines = done.stdout.splitlines()
    assert lines[0] == said["summary"]
    assert lines[0].startswith(f"{counts['worse']} worse, ")
    assert lines[0].endswith(f"{counts['same']} of 36 within the smallest effect")
    words = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert words.count("worse") == counts["worse"]
    assert words.count("better") == counts["better"]
    assert {"undecided", "same"}.isdisjoint(words)
    assert words[1] == "worse"
    assert f"and {36 - counts['worse'] - counts['better']} more with --all" in lines
    everything = folders("compare", "base", "slower", "--all").stdout.splitlines()
    assert [line.split()[0] for line in everything].count("same") == counts["same"]


def test_two_stacks_of_one_folder_are_compared(folders: Lasthop) -> None:
    said = compared(folders, "base", "base", "--pair", "raw_udp=raw_udp ack=on")
    assert len(said["changes"]) == 2 * 9
    assert {change["stack"] for change in said["changes"]} == {"raw_udp ack=on"}
    assert {change["of_base"]["stack"] for change in said["changes"]} == {"raw_udp"}
    assert all(change["paired"] for change in said["changes"])
    assert said["only_in_base"] == said["only_in_new"] == []
    delivery = {
        change["point"]["path.loss"]: change["verdict"]
        for change in said["changes"]
        if change["column"] == "delivery_ratio"
    }
    assert list(delivery.values()) == ["same", "better"]
    shown = folders("compare", "base", "base", "--pair", "raw_udp=raw_udp ack=on").stdout
    assert "raw_udp → raw_udp ack=on" in shown


def test_a_stack_is_compared_with_another_one_across_settings(folders: Lasthop) -> None:
    pair = ("--pair", "raw_udp ack=on=raw_udp", "--pair", "raw_udp=raw_udp")
    said = compared(folders, "base", "slower", *pair)
    assert {change["stack"] for change in said["changes"]} == {"raw_udp"}
    assert len(said["changes"]) == 2 * 2 * 9
    assert said["counts"]["worse"] > 0


def test_a_part_of_another_name_with_the_same_points_is_compared(folders: Lasthop) -> None:
    said = compared(folders, "base", "renamed")
    assert said["summary"] == "no change: 36 of 36 within the smallest effect"
    assert {change["part"] for change in said["changes"]} == {"lost"}
    assert {change["of_base"]["part"] for change in said["changes"]} == {"loss"}
    assert said["only_in_base"] == said["only_in_new"] == []


def test_a_stack_that_no_longer_completes_is_worse(folders: Lasthop, tmp_path: Path) -> None:
    damaged = without_completed_runs(folders.folder / "base", tmp_path / "damaged")
    done = folders("compare", "base", str(damaged))
    assert done.returncode == 1
    lines = [line for line in done.stdout.splitlines() if line.startswith("worse")]
    assert len(lines) == 2
    assert "5 completed; now 0 completed, 5 invalid (made up)" in lines[0]


def test_a_stack_that_completes_under_overload_now_is_worse(
    folders: Lasthop, tmp_path: Path
) -> None:
    overloaded = with_runs(folders.folder / "base", tmp_path / "new", "completed", "overload")
    done = folders("compare", "base", str(overloaded))
    assert done.returncode == 1
    lines = [line for line in done.stdout.splitlines() if "; now " in line]
    assert len(lines) == 2
    assert "0 completed, 5 overload (more is offered than the path carries)" in lines[0]
    assert lines[0].startswith("worse")
    back = folders("compare", str(overloaded), "base")
    assert back.returncode == 0
    lines = [line for line in back.stdout.splitlines() if "; now " in line]
    assert [line.split()[0] for line in lines] == ["better", "better"]


def test_one_folder_says_which_changes_a_comparison_with_it_would_find(folders: Lasthop) -> None:
    done = folders("compare", "base")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith(DETECTS)
    assert sum(line.startswith("raw_udp") for line in lines) == 4
    said = json.loads(folders("compare", "base", "--json").stdout)["detectable"]
    assert len(said) == 36
    assert all(one["change"] > one["smallest_effect"] for one in said if one["change"])
    assert compared(folders, "base", "slower")["detectable"] == said
    few = compared(folders, "more", "slower")["detectable"]
    by_key = {(one["column"], one["stack"], str(one["point"])): one for one in said}
    finer = [
        one["change"] < by_key[one["column"], one["stack"], str(one["point"])]["change"]
        for one in few
        if one["column"] == "latency_p50_ms"
    ]
    assert finer.count(True) > len(finer) / 2


def without_completed_runs(source: Path, target: Path) -> Path:
    """Copy a folder and mark every run of one stack as invalid."""
    return with_runs(source, target, "invalid", "made up")


def with_runs(source: Path, target: Path, status: str, reason: str) -> Path:
    """Copy a folder, with another end of every run of one stack."""
    import polars as pl  # noqa: PLC0415

    target.mkdir()
    copy_manifest(source, target)
    runs = pl.read_parquet(source / "runs.parquet")
    spoilt = pl.col("stack") == "raw_udp ack=on"
    runs.with_columns(
        status=pl.when(spoilt).then(pl.lit(status)).otherwise(pl.col("status")),
        reason=pl.when(spoilt).then(pl.lit(reason)).otherwise(pl.col("reason")),
    ).write_parquet(target / "runs.parquet")
    return target


@pytest.mark.parametrize(
    ("arguments", "clue"),
    [
        ([], "BASE"),
        (["base", "--pair", "raw_udp=raw_udp"], "write the folder twice"),
        (["base", "nowhere"], "nowhere"),
        (["base", "study.yaml"], "study.yaml"),
        (["base", "again", "--smallest-effect", "5"], 'write "5 %"'),
        (["base", "again", "--pair", "raw_udp"], '"raw_udp" is not BASE_STACK=NEW_STACK'),
        (["base", "again", "--pair", "raw_upd=raw_udp"], 'did you mean "raw_udp"?'),
        (["base", "fewer", "--pair", "raw_udp=raw_udp ack=on"], "the NEW folder has no stack"),
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


def test_a_damaged_folder_is_named(folders: Lasthop) -> None:
    done = folders("compare", "base", "garbage")
    assert done.returncode == 4
    assert done.stderr.startswith(
        "lasthop: garbage/runs.parquet: the file cannot be read as a table"
    )

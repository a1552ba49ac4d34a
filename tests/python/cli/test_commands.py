"""What each command says, and with which exit code."""

import json
import os
import subprocess
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from lasthop import __version__

from .conftest import COMMAND, SMALL_STUDY, Lasthop
from .test_determinism import hashes

EVENT_KEYS = {"time_ns", "where", "what", "trigger"}

COMMANDS = (
    "demo",
    "run",
    "report",
    "compare",
    "archive",
    "studies",
    "stacks",
    "columns",
    "doctor",
    "init",
    "explain",
    "link",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return a folder in which the small study was run."""
    lasthop = Lasthop(tmp_path_factory.mktemp("finished"))
    lasthop.write("study.yaml", SMALL_STUDY)
    done = lasthop("run", "study.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    return lasthop


def test_every_command_shows_an_example(lasthop: Lasthop) -> None:
    for command in COMMANDS:
        done = lasthop(command, "--help")
        assert done.returncode == 0
        assert f"Example: lasthop {command}" in done.stdout


def test_the_version_is_that_of_the_package(lasthop: Lasthop) -> None:
    assert lasthop("--version").stdout == f"lasthop {__version__}\n"


def test_a_run_says_the_answer_and_where_the_report_lies(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    done = lasthop("run", "study.yaml")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "raw_udp" in done.stdout
    assert "unsupported: mqtt_sn is not built yet" in done.stdout
    assert "results/small/report.html" in done.stdout
    report = lasthop.folder / "results/small/report.html"
    assert report.as_uri() in done.stdout
    assert report.read_text(encoding="utf-8").startswith("<!")


def test_json_is_one_object_on_standard_output(finished: Lasthop) -> None:
    done = finished("run", "study.yaml", "--json", "--no-report")
    said = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert said["counts"] == {"completed": 27, "unsupported": 9}
    assert said["already_complete"] is True
    assert said["exit_code"] == done.returncode == 0
    stacks = {row["stack"] for point in said["answer"]["points"] for row in point["rows"]}
    assert stacks == {"raw_udp", "json_udp", "raw_udp ack=on", "mqtt_sn"}


def test_a_dry_run_says_what_would_run_and_makes_nothing(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    done = lasthop("run", "study.yaml", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "27 to simulate of 36 planned" in done.stdout
    assert "mqtt_sn: unsupported" in done.stdout
    assert "time     about " in done.stdout
    assert "a trial of each stack at each point" in done.stdout
    assert "memory   about " in done.stdout
    assert "200 MB for the answer" in done.stdout
    assert sorted(path.name for path in lasthop.folder.iterdir()) == ["study.yaml"]


def test_the_point_that_two_parts_share_is_run_once_and_has_a_row_for_each(
    finished: Lasthop,
) -> None:
    folder = finished.folder / "results/small"
    runs = pl.read_parquet(folder / "runs.parquet")
    assert runs.height == 4 * 4 * 3
    assert runs.select("part", "run_id").is_unique().all()
    assert runs["run_id"].n_unique() == 36
    messages = pl.read_parquet(folder / "messages.parquet")
    completed = runs.filter(pl.col("status") == "completed").unique("run_id")
    assert set(messages["run_id"].unique()) == set(completed["run_id"])
    assert messages.height >= completed["messages_offered"].sum()


def test_columns_carry_their_units(finished: Lasthop) -> None:
    schema = pq.read_schema(finished.folder / "results/small/runs.parquet")
    assert schema.field("latency_p50_ms").metadata[b"unit"] == b"ms"
    assert schema.field("path_loss").metadata[b"unit"] == b"fraction"
    assert schema.field("delivery_ratio").metadata[b"unit"] == b"fraction"


def test_an_expectation_that_is_false_exits_1_and_names_the_worst_run(lasthop: Lasthop) -> None:
    lasthop.write(
        "study.yaml",
        SMALL_STUDY
        + 'expect: ["delivery_ratio == 1", "delivery_ratio > 0 where path.loss == 0 %"]',
    )
    done = lasthop("run", "study.yaml", "--no-report")
    assert done.returncode == 1
    failed = [line for line in done.stdout.splitlines() if line.startswith("expectation failed")]
    assert len(failed) == 1
    assert "share of messages delivered of exactly 100 %: false in" in failed[0]
    assert "worst:" in failed[0]


def test_shards_are_merged_into_what_one_run_gives(lasthop: Lasthop, finished: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    folders = []
    for index in (1, 2, 3):
        done = lasthop("run", "study.yaml", "--shard", f"{index}/3")
        assert done.returncode == 0, done.stderr
        folders.append(f"results/small-shard-{index}-of-3")
    done = lasthop("report", *folders, folders[0], "--out", "merged", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["counts"] == {"completed": 27, "unsupported": 9}
    for name in ("runs", "messages", "ledger", "packets", "latency", "groups"):
        merged = pl.read_parquet(lasthop.folder / f"merged/{name}.parquet")
        whole = pl.read_parquet(finished.folder / f"results/small/{name}.parquet")
        assert merged.height == whole.height
        assert merged.sort(merged.columns).equals(whole.sort(whole.columns))
    partial = lasthop("report", *folders[:2], "--out", "partial")
    assert "planned runs are in these folders" in partial.stderr


def test_the_commands_of_a_report_work_where_the_study_was_run(finished: Lasthop) -> None:
    done = finished("report", "small", "--figure", "ledger", "--out", "small-ledger.svg")
    assert done.returncode == 0, done.stderr
    assert (finished.folder / "small-ledger.svg").exists()


def test_shards_of_different_builds_are_not_merged(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    shards = [f"results/small-quick-shard-{index}-of-2" for index in (1, 2)]
    for index in (1, 2):
        done = lasthop("run", "study.yaml", "--quick", "--shard", f"{index}/2")
        assert done.returncode == 0, done.stderr
    path = lasthop.folder / shards[1] / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(
        json.dumps(manifest | {"working_copy": "0123456789abcdef", "digest": None}),
        encoding="utf-8",
    )
    done = lasthop("report", *shards, "--out", "merged")
    assert done.returncode == 2
    assert done.stderr == (
        f"lasthop: {shards[1]}: another build of lasthop made it, not that of "
        f"{shards[0]}; run the shards again with the same build\n"
    )
    assert not (lasthop.folder / "merged").exists()


def test_one_run_is_repeated_with_its_packets(lasthop: Lasthop, finished: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    runs = pl.read_parquet(finished.folder / "results/small/runs.parquet")
    run_id = runs.filter(pl.col("status") == "completed")["run_id"][0]
    done = lasthop("run", "--only", run_id[:8], "--capture", "study.yaml", "--out", "one")
    assert done.returncode == 0, done.stderr
    captures = {path.name for path in (lasthop.folder / "one/captures").iterdir()}
    assert captures == {f"{run_id}.{host}.pcapng" for host in ("device-0", "server-0")}
    one = pl.read_parquet(lasthop.folder / "one/messages.parquet")
    whole = pl.read_parquet(finished.folder / "results/small/messages.parquet")
    assert one.equals(whole.filter(pl.col("run_id") == run_id))


def test_a_capture_changes_no_table(lasthop: Lasthop, finished: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    done = lasthop("run", "study.yaml", "--capture", "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert hashes(lasthop.folder / "out") == hashes(finished.folder / "results/small")


def test_the_time_line_of_a_message_is_explained(finished: Lasthop) -> None:
    runs = pl.read_parquet(finished.folder / "results/small/runs.parquet")
    run_id = runs.filter(pl.col("status") == "completed")["run_id"][0]
    done = finished("explain", run_id[:8], "3", "--in", "results/small")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
    said = json.loads(finished("explain", run_id, "0:3", "--json").stdout)
    assert said["run_id"] == run_id
    times = [event["time_ns"] for event in said["events"]]
    assert times == sorted(times)
    assert all(event.keys() == EVENT_KEYS for event in said["events"])
    missing = finished("explain", run_id, "999999")
    assert missing.returncode == 2
    assert len(missing.stderr.splitlines()) == 1


def test_a_run_of_a_stack_that_is_not_built_cannot_be_explained(finished: Lasthop) -> None:
    runs = pl.read_parquet(finished.folder / "results/small/runs.parquet")
    run_id = runs.filter(pl.col("status") == "unsupported")["run_id"][0]
    done = finished("explain", run_id, "1")
    assert done.returncode == 2
    assert "mqtt_sn is not built yet" in done.stderr


def test_the_shipped_study_is_listed_and_can_be_named(lasthop: Lasthop) -> None:
    done = lasthop("studies")
    assert "chen-kunz-2016" in done.stdout
    listed = json.loads(lasthop("studies", "--json").stdout)["studies"]
    assert {study["name"] for study in listed} >= {"chen-kunz-2016"}
    assert lasthop("run", "chen-kunz-2016", "--dry-run").returncode == 0


def test_the_catalogue_tells_built_stacks_from_others(lasthop: Lasthop) -> None:
    said = json.loads(lasthop("stacks", "--json").stdout)["stacks"]
    built = {stack["name"] for stack in said if stack["built"]}
    assert {"raw_udp", "json_udp"} <= built
    assert "mqtt_sn" in {stack["name"] for stack in said} - built


def test_every_column_that_an_expression_may_name_is_listed(lasthop: Lasthop) -> None:
    columns = json.loads(lasthop("columns", "--json").stdout)["columns"]
    units = {column["name"]: column["unit"] for column in columns if column["meaning"]}
    assert len(units) == len(columns)
    assert units["latency_p95"] == "ms"
    assert "loss_ratio" in {column["name"] for column in columns if column["only_in_claims"]}
    shown = lasthop("columns").stdout
    assert all(column["name"] in shown for column in columns)


def test_the_doctor_finds_what_is_needed(lasthop: Lasthop) -> None:
    done = lasthop("doctor")
    assert done.returncode == 0, done.stdout
    assert "simulator" in done.stdout
    assert "MISSING" not in done.stdout


def test_a_study_from_answers_runs_and_is_never_overwritten(lasthop: Lasthop) -> None:
    made = lasthop("init", "my-meters.yaml", "--payload", "96 B", "--every", "5 s", "--yes")
    assert made.returncode == 0, made.stderr
    text = (lasthop.folder / "my-meters.yaml").read_text(encoding="utf-8")
    assert "96 B" in text
    done = lasthop("run", "my-meters.yaml", "--quick", "--no-report")
    assert done.returncode == 0, done.stderr
    assert (lasthop.folder / "results/my-meters-quick/runs.parquet").exists()
    again = lasthop("init", "my-meters.yaml", "--yes")
    assert again.returncode == 2
    assert (lasthop.folder / "my-meters.yaml").read_text(encoding="utf-8") == text


def test_a_reader_that_leaves_is_no_error(lasthop: Lasthop) -> None:
    for arguments in (["stacks"], ["studies"], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.run(
            [*COMMAND, *arguments],
            stdout=writer,
            stderr=subprocess.PIPE,
            cwd=lasthop.folder,
            check=False,
        )
        os.close(writer)
        assert process.stderr == b""
        assert process.returncode == 0


def test_a_full_standard_output_is_told_in_one_line(lasthop: Lasthop) -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [*COMMAND, "stacks"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=lasthop.folder,
            check=False,
        )
    assert process.returncode == 4
    assert process.stderr.count(b"\n") == 1


def test_completion_is_offered_for_the_shell(lasthop: Lasthop) -> None:
    done = lasthop("--show-completion", "bash")
    assert done.returncode == 0, done.stderr
    assert "_LASTHOP_COMPLETE" in done.stdout


def test_init_needs_no_name(lasthop: Lasthop) -> None:
    done = lasthop("init", "--yes")
    assert done.returncode == 0, done.stderr
    assert (lasthop.folder / "study.yaml").exists()
    assert lasthop("run", "study.yaml", "--dry-run").returncode == 0

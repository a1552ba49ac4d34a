"""Campaigns: every run once, in any order, with the same tables."""

import hashlib
import os
import signal
import threading
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from lasthop.errors import EnvironmentFailure, Interrupted, UsageError
from lasthop.results.folder import ResultFolder, open_folder
from lasthop.results.manifest import Manifest
from lasthop.running.campaign import Campaign
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.local import LocalExecutor
from lasthop.running.plan import Plan
from lasthop.running.progress import Silence
from lasthop.running.selection import Selection

from .synthetic import HeldEngine, SyntheticEngine, SyntheticStudy, wait_until

TABLES = ("runs", "messages", "ledger", "packets", "latency", "groups", "bills", "sims")


def plan_of(study: SyntheticStudy, selection: Selection | None = None) -> Plan:
    return Plan(study, selection)  # type: ignore[arg-type]


def described(study: SyntheticStudy) -> dict[str, object]:
    return {
        "name": study.name,
        "repeat": study.repeat,
        "parts": [{"name": part.name, "swept": []} for part in study.parts],
        "stacks": [
            {"name": stack, "resolved": f"{stack}/udp/ip", "supported": stack != "mqtt"}
            for stack in study.stacks
        ],
        "seed": 1,
        "expect": [],
    }


def manifest_of(plan: Plan, study: SyntheticStudy) -> Manifest:
    chosen = plan.selection
    return Manifest(
        study=described(study),
        study_hash="0" * 64,
        plan_hash=plan.identity,
        selection=None if chosen.chooses_all else str(chosen),
        planned_runs=plan.planned_runs,
        seeds=plan.seeds,
        command="lasthop run",
    )


def execute(  # noqa: PLR0913  (most have a default)
    out: Path,
    engine: SyntheticEngine,
    *,
    study: SyntheticStudy | None = None,
    selection: Selection | None = None,
    jobs: int = 2,
    capture: CapturedHosts | None = None,
) -> dict[str, int]:
    study = study or SyntheticStudy()
    plan = plan_of(study, selection)
    with open_folder(out, manifest_of(plan, study)) as folder:
        if folder.complete:
            if capture is not None:
                campaign(plan, folder, engine, jobs=jobs, capture=capture).capture_missing()
            return dict(folder.manifest.counts)
        return dict(campaign(plan, folder, engine, jobs=jobs, capture=capture).execute())


def campaign(
    plan: Plan,
    folder: ResultFolder,
    engine: SyntheticEngine,
    *,
    jobs: int,
    capture: CapturedHosts | None,
) -> Campaign:
    executor = LocalExecutor(engine, jobs=jobs, capture=capture)
    return Campaign(plan, folder, executor=executor, capture=capture, progress=Silence())


def hashes(out: Path) -> dict[str, str]:
    return {
        name: hashlib.sha256((out / f"{name}.parquet").read_bytes()).hexdigest() for name in TABLES
    }


def test_every_run_is_simulated_once_and_every_row_is_in_the_table(tmp_path: Path) -> None:
    engine = SyntheticEngine()
    counts = execute(tmp_path / "out", engine)
    assert counts == {"completed": 18, "unsupported": 9}
    assert sorted(engine.simulated) == sorted(set(engine.simulated))
    assert len(engine.simulated) == 18
    runs = pl.read_parquet(tmp_path / "out/runs.parquet")
    assert runs.height == 3 * 3 * 3 + 3 * 3
    assert runs.select("part", "run_id").is_unique().all()
    messages = pl.read_parquet(tmp_path / "out/messages.parquet")
    assert messages.height == 18 * 50
    assert not (tmp_path / "out/parts").exists()
    assert not (tmp_path / "out/.lock").exists()


def test_an_unsupported_stack_is_a_row_with_a_reason_and_no_measures(tmp_path: Path) -> None:
    execute(tmp_path / "out", SyntheticEngine())
    runs = pl.read_parquet(tmp_path / "out/runs.parquet")
    rows = runs.filter(pl.col("stack") == "mqtt")
    assert set(rows["status"]) == {"unsupported"}
    assert set(rows["reason"]) == {"mqtt is not built yet"}
    assert rows["messages_offered"].null_count() == rows.height


def test_tables_are_the_same_with_any_number_of_jobs(tmp_path: Path) -> None:
    execute(tmp_path / "one", SyntheticEngine(), jobs=1)
    execute(tmp_path / "four", SyntheticEngine(seconds=0.002), jobs=4)
    assert hashes(tmp_path / "one") == hashes(tmp_path / "four")


def test_a_complete_folder_is_not_done_again(tmp_path: Path) -> None:
    execute(tmp_path / "out", SyntheticEngine())
    before = hashes(tmp_path / "out")
    engine = SyntheticEngine()
    assert execute(tmp_path / "out", engine) == {"completed": 18, "unsupported": 9}
    assert engine.simulated == []
    assert hashes(tmp_path / "out") == before


def test_a_failure_keeps_finished_runs_and_the_next_campaign_continues(tmp_path: Path) -> None:
    execute(tmp_path / "whole", SyntheticEngine())
    runs = [run.run_id for run in plan_of(SyntheticStudy()).unique() if run.supported]
    engine = SyntheticEngine()
    engine.fails = {runs[10]: EnvironmentFailure("disk: No space left on device")}
    with pytest.raises(EnvironmentFailure, match="No space left"):
        execute(tmp_path / "out", engine, jobs=1)
    assert engine.simulated == runs[:10]
    assert len(list((tmp_path / "out/parts").glob("*.part"))) == 10
    again = SyntheticEngine()
    execute(tmp_path / "out", again)
    assert sorted(again.simulated) == sorted(runs[10:])
    assert hashes(tmp_path / "out") == hashes(tmp_path / "whole")


@pytest.mark.parametrize("damage", ["truncated", "altered", "emptied", "foreign"])
def test_a_damaged_part_is_done_again(tmp_path: Path, damage: str) -> None:
    execute(tmp_path / "whole", SyntheticEngine())
    runs = [run.run_id for run in plan_of(SyntheticStudy()).unique() if run.supported]
    engine = SyntheticEngine()
    engine.fails = {runs[5]: EnvironmentFailure("stopped")}
    with pytest.raises(EnvironmentFailure):
        execute(tmp_path / "out", engine, jobs=1)
    part = tmp_path / f"out/parts/{runs[2]}.part"
    content = part.read_bytes()
    middle = len(content) // 2
    part.write_bytes(
        {
            "truncated": content[:middle],
            "altered": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "emptied": b"",
            "foreign": b"something else entirely" * 20,
        }[damage]
    )
    (tmp_path / "out/parts/.half.part.tmp").write_bytes(b"left by a killed process")
    again = SyntheticEngine()
    execute(tmp_path / "out", again)
    assert runs[2] in again.simulated
    assert runs[1] not in again.simulated
    assert hashes(tmp_path / "out") == hashes(tmp_path / "whole")


def test_a_bug_met_by_one_run_makes_it_invalid_and_leaves_the_others(tmp_path: Path) -> None:
    class PanicError(BaseException):
        pass

    runs = [run.run_id for run in plan_of(SyntheticStudy()).unique() if run.supported]
    engine = SyntheticEngine()
    engine.fails = {runs[3]: PanicError("index out of bounds")}
    assert execute(tmp_path / "out", engine)["invalid"] == 1
    table = pl.read_parquet(tmp_path / "out/runs.parquet").filter(pl.col("run_id") == runs[3])
    assert set(table["reason"]) == {"lasthop failed: PanicError: index out of bounds"}


def test_a_second_runner_is_refused_while_the_first_one_works(tmp_path: Path) -> None:
    engine = HeldEngine(after=0)
    first = threading.Thread(target=execute, args=(tmp_path / "out", engine), daemon=True)
    first.start()
    wait_until((tmp_path / "out/.lock").exists)
    with pytest.raises(EnvironmentFailure, match="another lasthop process is using this folder"):
        execute(tmp_path / "out", SyntheticEngine())
    engine.go_on.set()
    first.join()
    assert Manifest.read(tmp_path / "out").state == "complete"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        (SyntheticStudy(name="another"), "another study, synthetic"),
        (SyntheticStudy(repeat=4), "other settings"),
    ],
)
def test_a_folder_of_other_results_is_refused(
    tmp_path: Path, other: SyntheticStudy, complaint: str
) -> None:
    execute(tmp_path / "out", SyntheticEngine())
    before = hashes(tmp_path / "out")
    with pytest.raises(UsageError, match=f"{complaint}.*choose another --out"):
        execute(tmp_path / "out", SyntheticEngine(), study=other)
    assert hashes(tmp_path / "out") == before


def test_results_of_an_unknown_maker_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "runs.parquet").write_bytes(b"mine")
    with pytest.raises(UsageError, match="no manifest"):
        execute(out, SyntheticEngine())
    assert (out / "runs.parquet").read_bytes() == b"mine"
    assert not (out / ".lock").exists()


def test_shards_divide_the_runs_without_overlap(tmp_path: Path) -> None:
    found: list[str] = []
    for index in (1, 2, 3):
        engine = SyntheticEngine()
        selection = Selection.parse(shard=f"{index}/3")
        execute(tmp_path / f"shard-{index}", engine, selection=selection)
        found += engine.simulated
    whole = SyntheticEngine()
    execute(tmp_path / "whole", whole)
    assert sorted(found) == sorted(whole.simulated)


def test_a_shard_is_not_continued_as_another(tmp_path: Path) -> None:
    execute(tmp_path / "out", SyntheticEngine(), selection=Selection.parse(shard="1/3"))
    with pytest.raises(UsageError, match="it has results of shard 1/3, not of all runs"):
        execute(tmp_path / "out", SyntheticEngine())


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/4", "", "1/ 3"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Selection.parse(shard=text)


def test_one_run_is_chosen_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    run_id = next(plan_of(SyntheticStudy()).unique()).run_id
    engine = SyntheticEngine()
    execute(tmp_path / "out", engine, selection=Selection.parse(only=(run_id[:6],)))
    assert engine.simulated == [run_id]
    with pytest.raises(UsageError, match="the study has no run whose id begins with"):
        plan_of(SyntheticStudy(), Selection.parse(only=("xyz",)))


def test_captures_are_made_for_a_folder_that_is_complete_without_touching_its_tables(
    tmp_path: Path,
) -> None:
    execute(tmp_path / "out", SyntheticEngine())
    before = hashes(tmp_path / "out")
    execute(tmp_path / "out", SyntheticEngine(), capture=CapturedHosts())
    assert captured(tmp_path / "out") == {"device-0": 18, "server-0": 18}
    assert hashes(tmp_path / "out") == before
    engine = SyntheticEngine()
    execute(tmp_path / "out", engine, capture=CapturedHosts())
    assert engine.simulated == []


def test_other_hosts_are_captured_beside_those_that_are_there(tmp_path: Path) -> None:
    out, first = tmp_path / "out", SyntheticEngine()
    execute(out, first, capture=CapturedHosts.parse("server-0"))
    assert captured(out) == {"server-0": 18}
    more = SyntheticEngine()
    execute(out, more, capture=CapturedHosts.parse("device-0"))
    assert sorted(more.simulated) == sorted(first.simulated)
    assert captured(out) == {"device-0": 18, "server-0": 18}
    nothing = SyntheticEngine()
    execute(out, nothing, capture=CapturedHosts())
    assert nothing.simulated == []


def test_a_run_of_which_one_capture_is_missing_is_captured_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    execute(out, SyntheticEngine(), capture=CapturedHosts())
    gone = sorted((out / "captures").glob("*.server-0.pcapng"))[3]
    gone.unlink()
    engine = SyntheticEngine()
    execute(out, engine, capture=CapturedHosts())
    assert engine.simulated == [gone.name.split(".")[0]]
    assert gone.exists()


def test_a_run_that_fails_leaves_no_half_of_its_captures(tmp_path: Path) -> None:
    out, engine = tmp_path / "out", SyntheticEngine()
    run_id = next(plan_of(SyntheticStudy()).unique()).run_id
    engine.fails = {run_id: EnvironmentFailure("the disk is full")}
    with pytest.raises(EnvironmentFailure):
        execute(out, engine, capture=CapturedHosts(), jobs=1)
    assert list((out / "captures").glob("*")) == []


def test_a_folder_with_one_capture_a_run_from_before_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    execute(out, SyntheticEngine())
    before = out / "captures" / f"{next(plan_of(SyntheticStudy()).unique()).run_id}.pcapng"
    before.parent.mkdir()
    before.write_bytes(b"both ends of a link")
    execute(out, SyntheticEngine(), capture=CapturedHosts())
    assert before.read_bytes() == b"both ends of a link"
    assert captured(out) == {"device-0": 18, "server-0": 18}


def captured(out: Path) -> Counter[str]:
    names = [path.name.split(".") for path in (out / "captures").glob("*.*.pcapng")]
    return Counter(host for _, host, _ in names)


def test_one_signal_writes_the_tables_of_what_is_finished_and_a_resume_completes_them(
    tmp_path: Path,
) -> None:
    execute(tmp_path / "whole", SyntheticEngine())
    parts = tmp_path / "out/parts"

    def interrupt() -> None:
        wait_until(lambda: parts.exists() and len(list(parts.glob("*.part"))) >= 4)
        os.kill(os.getpid(), signal.SIGINT)

    helper = threading.Thread(target=interrupt)
    helper.start()
    with pytest.raises(Interrupted):
        execute(tmp_path / "out", HeldEngine(after=6), jobs=2)
    helper.join()
    finished = len(list(parts.glob("*.part")))
    assert 4 <= finished < 18
    completed = pl.read_parquet(tmp_path / "out/runs.parquet").filter(
        pl.col("status") == "completed"
    )
    assert completed["run_id"].n_unique() == finished
    assert Manifest.read(tmp_path / "out").state == "interrupted"  # type: ignore[union-attr]
    again = SyntheticEngine()
    execute(tmp_path / "out", again)
    assert len(again.simulated) == 18 - finished
    assert hashes(tmp_path / "out") == hashes(tmp_path / "whole")


def test_the_finalised_tables_are_the_same_after_a_failure_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute(tmp_path / "whole", SyntheticEngine())
    original = Path.replace
    renamed = 0

    def fail_at_third(self: Path, target: Path) -> Path:
        nonlocal renamed
        if str(target).endswith(".parquet"):
            renamed += 1
            if renamed == 3:
                raise OSError(28, "No space left on device")
        return original(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail_at_third)
        with pytest.raises(EnvironmentFailure, match="No space left"):
            execute(tmp_path / "out", SyntheticEngine())
    assert list((tmp_path / "out").glob(".*.tmp")) == []
    engine = SyntheticEngine()
    execute(tmp_path / "out", engine)
    assert engine.simulated == []
    assert hashes(tmp_path / "out") == hashes(tmp_path / "whole")

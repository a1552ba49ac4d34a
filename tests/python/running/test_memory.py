"""Memory stays flat, whatever the number of runs."""

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from lasthop.answer.points import part_named, points_of
from lasthop.cli.conclusion import conclude
from lasthop.outcome.short_answer import short_answer
from lasthop.results import finalise as gathering
from lasthop.results.folder import open_folder
from lasthop.results.part import Part, PartHeader, write_part
from lasthop.running.plan import Plan
from lasthop.running.run import announce, carry_out
from lasthop.study import load_study

from .synthetic import SyntheticEngine, synthetic_tables

STUDY = """\
study: many
duration: 1 s
traffic: {report: 40 B, every: 250 ms}
path: {loss: 5 %, delay: 20 ms}
stacks: [raw_udp, raw_udp ack=on]
sweep: [{name: a, path.loss: [2 %, 10 %]}, {name: b, path.loss: [10 %]}]
decide: {minimise: latency_p50}
"""
ROWS_OF_A_REPETITION = 6
MOST_GROWTH_BYTES = 300
"""A run may leave so much behind: 0.3 MiB in a thousand runs."""
BYTES_OF_A_BLOCK = 64
"""Of an object of Python, roughly."""


@pytest.fixture
def plan(tmp_path: Path) -> Callable[[int], Plan]:
    """Plan the study with so many rows of runs."""
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")

    def planned(rows: int) -> Plan:
        repeat = str(rows // ROWS_OF_A_REPETITION)
        return Plan(load_study(tmp_path / "study.yaml", overrides=[("repeat", repeat)]))

    return planned


def test_a_plan_is_walked_and_not_kept(plan: Callable[[int], Plan]) -> None:
    def peak(rows: int) -> int:
        tracemalloc.start()
        try:
            found = plan(rows)
            assert sum(1 for _ in found.supported()) == found.row_count * 2 // 3
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(600)  # what is loaded at the first use stays
    # The seed of each repetition stands in the manifest.
    assert (peak(3_000) - peak(600)) / 2_400 < MOST_GROWTH_BYTES / 2


def test_tables_are_gathered_in_pieces(
    plan: Callable[[int], Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.part"
    header = PartHeader(run_id="0" * 16, status="completed", wall_s=0.0, cpu_s=0.0, captured=False)
    write_part(path, header, synthetic_tables("0" * 16, messages=4))
    monkeypatch.setattr(gathering, "_finished_part", lambda *_: Part.open(path))
    monkeypatch.setattr(gathering, "ROW_GROUP", 64)  # so that few runs fill one
    monkeypatch.setattr(gathering, "_ROW_GROUPS", {"runs": 64})

    names = iter(("first", "few", "many"))

    def gather(rows: int) -> tuple[int, int]:
        found = plan(rows)
        bytes_of_arrow, blocks_of_python = [], []

        def advance() -> None:
            bytes_of_arrow.append(pa.total_allocated_bytes())
            blocks_of_python.append(sys.getallocatedblocks())

        with open_folder(tmp_path / next(names), announce(found)) as folder:
            gathering.finalise(folder, found.rows(), swept=found.swept, advance=advance)
        assert len(bytes_of_arrow) == rows
        return max(bytes_of_arrow), max(blocks_of_python)

    gather(300)  # what is loaded at the first use stays
    (few_bytes, few_blocks), (many_bytes, many_blocks) = gather(300), gather(1_200)
    assert (many_bytes - few_bytes) / 900 < MOST_GROWTH_BYTES
    assert (many_blocks - few_blocks) / 900 < MOST_GROWTH_BYTES / BYTES_OF_A_BLOCK


GIVING_BACK = """
import sys
from pathlib import Path
import pyarrow as pa
from lasthop.running import campaign
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

def anonymous_kib():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

def judge_and_close(*arguments, then=campaign.judge_and_close):
    before = anonymous_kib()
    pa.default_memory_pool().release_unused()
    print(pa.default_memory_pool().backend_name, before - anonymous_kib())
    return then(*arguments)

campaign.judge_and_close = judge_and_close
plan = Plan(load_study(Path(sys.argv[1]), overrides=[("repeat", "50")]))
carry_out(plan, out=Path(sys.argv[2]))
"""
"""Prints how much could still be given back once the runs are gathered and ruled upon."""
MOST_LEFT_KIB = 6_000
"""It is 150 KiB; it would be 18,000 KiB if nothing had been given back."""


def test_gathered_runs_leave_no_memory_behind(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    arguments = [str(tmp_path / "study.yaml"), str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", GIVING_BACK, *arguments],
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},  # as the command does
        check=True,
        capture_output=True,
        text=True,
    )
    pool, left_kib = done.stdout.split()
    assert pool == "system"
    assert int(left_kib) < MOST_LEFT_KIB


def test_an_answer_reads_the_columns_that_it_needs(
    plan: Callable[[int], Plan], tmp_path: Path
) -> None:
    results = carry_out(plan(60), out=tmp_path / "out", engine=SyntheticEngine(messages=1)).results
    assert short_answer(results).points
    conclude(results, report=None, as_json=False)
    assert "runs" not in vars(results)
    assert results.compared.estimated_size() / results.compared.height < MOST_GROWTH_BYTES / 2
    assert results.runs.estimated_size() > 5 * results.compared.estimated_size()


def test_a_decision_looks_at_the_runs_and_copies_none(
    plan: Callable[[int], Plan], tmp_path: Path
) -> None:
    def place(runs: pl.DataFrame) -> int:
        column = runs["latency_p50_ms"].rechunk().to_arrow()
        address: int = column.buffers()[1].address + 8 * column.offset
        return address

    results = carry_out(plan(60), out=tmp_path / "out", engine=SyntheticEngine(messages=1)).results
    inner = results.compared.filter(pl.col("part") == "a")
    points = points_of(inner, part_named(results.manifest.study, "a"))
    assert [point.runs.height for point in points] == [inner.height] * 2
    assert {place(point.runs) for point in points} == {place(inner)}
    backwards = points_of(inner.reverse(), part_named(results.manifest.study, "a"))
    assert [point.values for point in backwards] == [point.values for point in points]
    assert backwards[0].rows.equals(points[0].rows.reverse())

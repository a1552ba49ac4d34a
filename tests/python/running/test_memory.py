"""Memory stays flat, whatever the number of runs."""

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import polars as pl
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
MESSAGES_OF_A_RUN = 2_000
BYTES_OF_MESSAGES = MESSAGES_OF_A_RUN * 150
"""What the rows of the messages of a run take in memory, roughly."""


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


_TABLES = ("runs", "ledger", "packets", "latency", "groups", "bills", "sims", "timings")


def test_tables_are_gathered_in_pieces(
    plan: Callable[[int], Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.part"
    header = PartHeader(run_id="0" * 16, status="completed", wall_s=0.0, cpu_s=0.0, captured=False)
    write_part(path, header, synthetic_tables("0" * 16, messages=MESSAGES_OF_A_RUN))
    monkeypatch.setattr(gathering, "_finished_part", lambda *_: Part.open(path))
    # So that few runs fill a row group of any table.
    few = dict.fromkeys(_TABLES, 64)
    monkeypatch.setattr(gathering, "_ROW_GROUPS", few)

    names = iter(("first", "few", "many"))

    def gather(rows: int) -> tuple[int, int]:
        found = plan(rows)
        bytes_of_process, blocks_of_python = [], []

        def advance() -> None:
            bytes_of_process.append(anonymous_bytes())
            blocks_of_python.append(sys.getallocatedblocks())

        with open_folder(tmp_path / next(names), announce(found)) as folder:
            gathering.finalise(folder, found.rows(), swept=found.swept, advance=advance)
        assert len(bytes_of_process) == rows
        return max(bytes_of_process), max(blocks_of_python)

    gather(300)  # what is loaded at the first use stays
    (few_bytes, few_blocks), (many_bytes, many_blocks) = gather(300), gather(1_200)
    assert many_bytes - few_bytes < 900 * BYTES_OF_MESSAGES / 4
    assert (many_blocks - few_blocks) / 900 < MOST_GROWTH_BYTES / BYTES_OF_A_BLOCK


def anonymous_bytes() -> int:
    """Count what this process has in memory that is no file."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


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

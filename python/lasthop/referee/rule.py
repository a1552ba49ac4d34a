"""Applies the referee to a result folder: marks runs and writes the ruling."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from lasthop.referee.row import COLUMNS, RunRow
from lasthop.referee.ruling import FILE, TOO_FEW_REPETITIONS, read_ruling
from lasthop.referee.watch import Change, Watch
from lasthop.results.atomic import environment, replacement
from lasthop.results.folder import ResultFolder
from lasthop.results.row_groups import row_groups
from lasthop.results.schema import Schema
from lasthop.results.table_writer import RUNS_ROW_GROUP, TableWriter


def rule(folder: ResultFolder, counts: Mapping[str, int]) -> Counter[str]:
    """Judge the runs of a folder by the study in its manifest.

    Runs that cannot be believed get the status `invalid` and a reason, those of which the study
    has come to allow it get theirs back; `referee.json` says what was found. To rule twice
    changes nothing.

    Parameters
    ----------
    folder
        A folder whose tables are written.
    counts
        How many runs there are of each status.

    Returns
    -------
    Counter[str]
        The same after the ruling.
    """
    watch = Watch(folder.manifest.study)
    with environment(folder.table("runs")):
        for run, run_spec in _rows(folder.table("runs")):
            watch.see(run, run_spec)
    ruling = watch.ruling()
    if watch.changes:
        _mark(folder, watch.changes)
    before = read_ruling(folder.path)
    claims = [found for found in before.comparisons if found.check == TOO_FEW_REPETITIONS]
    ruling = replace(ruling, comparisons=(*ruling.comparisons, *claims))
    if ruling != before or not (folder.path / FILE).exists() or folder.has_digests:
        folder.store(FILE, ruling.as_json())
    after = Counter(counts)
    for change in watch.changes.values():
        after[change.before] -= 1
        after[change.status] += 1
    return +after


def _rows(path: Path) -> Iterator[tuple[RunRow, str]]:
    columns = [*COLUMNS, "run_spec"]
    for group in row_groups(path, rows=RUNS_ROW_GROUP, columns=columns):
        for *cells, run_spec in group.select(columns).iter_rows():
            run = RunRow(*cells)
            if run.status != "unsupported":
                yield run, run_spec


def _mark(folder: ResultFolder, changes: Mapping[str, Change]) -> None:
    path = folder.table("runs")
    with environment(path):
        schema = Schema.of_file(path)
        with replacement(path) as temporary:
            with TableWriter(temporary, schema, row_group_rows=RUNS_ROW_GROUP) as writer:
                for group in row_groups(path, rows=RUNS_ROW_GROUP):
                    writer.append(_marked(group, changes))
            folder.unseal(path.name)
    folder.seal(path.name, writer.digest)


def _marked(table: pl.DataFrame, changes: Mapping[str, Change]) -> pl.DataFrame:
    marked = []
    for name in ("status", "reason"):
        after = [
            getattr(changes[run], name) if run in changes else value
            for run, value in table.select("run_id", name).iter_rows()
        ]
        marked.append(pl.Series(name, after, dtype=pl.String))
    return table.with_columns(marked)

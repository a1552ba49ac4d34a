"""The referee at work on a folder: reads its runs, marks them, writes the ruling."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq

from lasthop.referee.row import COLUMNS, RunRow
from lasthop.referee.ruling import FILE, TOO_FEW_REPETITIONS, read_ruling
from lasthop.referee.watch import Change, Watch
from lasthop.results.atomic import environment, replacement
from lasthop.results.folder import ResultFolder
from lasthop.results.table_writer import RUNS_ROW_GROUP, TableWriter

_BLOCK_ROWS = 256


def rule(folder: ResultFolder, counts: Mapping[str, int]) -> Counter[str]:
    """Judge a folder's runs by the study in its manifest.

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
    with environment(folder.table("runs")), pq.ParquetFile(folder.table("runs")) as file:
        for run, run_spec in _rows(file):
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


def _rows(file: pq.ParquetFile) -> Iterator[tuple[RunRow, str]]:
    columns = [*COLUMNS, "run_spec"]
    # One thread: each would keep memory of its own, and most columns are short.
    for batch in file.iter_batches(_BLOCK_ROWS, columns=columns, use_threads=False):
        values = [batch.column(name).to_pylist() for name in columns]
        for *cells, run_spec in zip(*values, strict=True):
            run = RunRow(*cells)
            if run.status != "unsupported":
                yield run, run_spec


def _mark(folder: ResultFolder, changes: Mapping[str, Change]) -> None:
    path = folder.table("runs")
    with environment(path), pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        with replacement(path) as temporary:
            with TableWriter(temporary, schema, row_group_rows=RUNS_ROW_GROUP) as writer:
                for group in range(file.num_row_groups):
                    writer.append(_marked(file.read_row_group(group), changes))
            folder.unseal(path.name)
    folder.seal(path.name, writer.digest)


def _marked(table: pa.Table, changes: Mapping[str, Change]) -> pa.Table:
    runs = table["run_id"].to_pylist()
    for name in ("status", "reason"):
        before = table[name].to_pylist()
        after = [
            getattr(changes[run], name) if run in changes else value
            for run, value in zip(runs, before, strict=True)
        ]
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(name), pa.array(after, pa.string()))
    return table

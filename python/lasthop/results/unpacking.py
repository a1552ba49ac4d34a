"""Splits tables back into finished runs, so that a study can be extended."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from lasthop.results.arrow_stream import arrow_stream
from lasthop.results.atomic import environment
from lasthop.results.part import PartHeader, write_part
from lasthop.results.row_groups import row_groups
from lasthop.results.schema import RUN_TABLES, SUMMARY, TIMINGS, Schema
from lasthop.results.stored import DamagedResultsError
from lasthop.results.table_writer import ROW_GROUP, RUNS_ROW_GROUP

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder


def unpack(folder: "ResultFolder") -> None:
    """Write a part file for every simulated run of a complete folder.

    The tables stay as they are; gathering the parts again gives the same bytes. In memory are a
    few row groups and one run.
    """
    folder.prepare(captures=False)
    rows = _simulated(folder)
    tables = {name: _Cursor(folder, name, schema) for name, schema in RUN_TABLES.items()}
    timings = _Cursor(folder, "timings", TIMINGS)
    for summary in rows:
        run_id = summary["run_id"].item()
        timing = timings.take(run_id).rows(named=True)
        if len(timing) != 1:
            path = folder.table("timings")
            raise DamagedResultsError(
                path, "the file does not have the runs of runs.parquet in the same order"
            )
        status = summary["status"].item()
        header = PartHeader(
            run_id=run_id,
            status=status,
            wall_s=timing[0]["wall_s"],
            cpu_s=timing[0]["cpu_s"],
            captured=folder.is_captured(run_id),
        )
        streams = {name: arrow_stream(cursor.take(run_id)) for name, cursor in tables.items()}
        streams["summary"] = arrow_stream(summary.select(SUMMARY.names).cast(SUMMARY.types))
        write_part(folder.part(run_id), header, streams)


class _Cursor:
    """Iterates over the runs of a table in stored order."""

    def __init__(self, folder: "ResultFolder", name: str, schema: Schema) -> None:
        self._pieces = _pieces(folder, name)
        self._schema = schema
        self._next = next(self._pieces, None)

    def take(self, run_id: str) -> pl.DataFrame:
        """Return the rows of a run, which must come next; empty if the run has none."""
        taken = [self._schema.empty()]
        while self._next is not None and self._next[0] == run_id:
            taken.append(self._next[1])
            self._next = next(self._pieces, None)
        return pl.concat(taken)


def _pieces(folder: "ResultFolder", name: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each run. A run that spans row groups comes twice."""
    for group in _row_groups(folder, name):
        start = 0
        for length, run_id in group["run_id"].rle().struct.unnest().iter_rows():
            yield run_id, group.slice(start, length)
            start += length


def _simulated(folder: "ResultFolder") -> Iterator[pl.DataFrame]:
    """Yield the row of each simulated run once, in the order of the other tables."""
    seen: set[str] = set()
    for group in _row_groups(folder, "runs", columns=["run_id", *SUMMARY.names]):
        for place, run_id in enumerate(group["run_id"].to_list()):
            if run_id not in seen:
                seen.add(run_id)
                if group["status"][place] != "unsupported":
                    yield group.slice(place, 1)


def _row_groups(
    folder: "ResultFolder", name: str, *, columns: list[str] | None = None
) -> Iterator[pl.DataFrame]:
    path = folder.table(name)
    rows = RUNS_ROW_GROUP if name == "runs" else ROW_GROUP
    with environment(path):
        yield from row_groups(path, rows=rows, columns=columns)

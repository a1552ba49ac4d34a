"""Writes finished runs to tables. The same rows give the same bytes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from lasthop.errors import EnvironmentFailure
from lasthop.results.atomic import replacement
from lasthop.results.part import DamagedPartError, Part
from lasthop.results.repeats import Repeats
from lasthop.results.schema import RUN_TABLES, SUMMARY, TIMINGS, Schema, runs_schema
from lasthop.results.table_writer import ROW_GROUP, RUNS_ROW_GROUP, TableWriter

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder
    from lasthop.study import PlannedRun

_BLOCK = 256
_ROW_GROUPS = {"runs": RUNS_ROW_GROUP}


def finalise(
    folder: "ResultFolder",
    planned: Iterator["PlannedRun"],
    *,
    swept: Mapping[str, tuple[str, str | None]],
    advance: Callable[[], None],
) -> Counter[str]:
    """Write all tables from the finished runs, in planned order.

    Parameters
    ----------
    folder
        The result folder, with its parts.
    planned
        Rows of `runs.parquet`. Rows of unfinished runs are omitted.
    swept
        Type and unit of every swept column.
    advance
        Called after each row. If it raises, the folder stays unchanged.

    Returns
    -------
    Counter[str]
        How many runs there are of each status, each run counted once.
    """
    schemas = {"runs": runs_schema(swept), **RUN_TABLES, "timings": TIMINGS}
    counts: Counter[str] = Counter()
    with ExitStack() as renames:
        # Names change after all writers are closed: a table is never newer than another's failure.
        temporary = {
            name: renames.enter_context(replacement(folder.table(name))) for name in schemas
        }
        with ExitStack() as stack:
            writers = {
                name: stack.enter_context(
                    TableWriter(
                        temporary[name], schema, row_group_rows=_ROW_GROUPS.get(name, ROW_GROUP)
                    )
                )
                for name, schema in schemas.items()
            }
            rows = _Rows(schemas["runs"])
            timings: list[dict[str, object]] = []
            repeats = Repeats()
            for run in planned:
                again = repeats.sees(run)
                part = _finished_part(folder, run)
                if part is None and run.supported:
                    continue
                rows.add(_planned(run) | _parameters(run, swept), _measured(run, part))
                if not again:
                    counts["unsupported" if part is None else part.header.status] += 1
                    if part is not None:
                        _append_tables(writers, part)
                        timings.append(_timing(part))
                if len(rows) == _BLOCK:
                    writers["runs"].append(rows.take())
                if len(timings) == _BLOCK:
                    writers["timings"].append(TIMINGS.table(timings))
                    timings = []
                advance()
            writers["runs"].append(rows.take())
            writers["timings"].append(TIMINGS.table(timings))
        folder.unseal(*(f"{name}.parquet" for name in schemas))
    for name, writer in writers.items():
        folder.seal(f"{name}.parquet", writer.digest)
    return counts


class _Rows:
    """Rows of `runs.parquet`: planned columns and measured columns."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._planned_schema = Schema(
            column for column in schema if column.name not in SUMMARY.names
        )
        self._planned: list[dict[str, object]] = []
        self._measured: list[pl.DataFrame] = []

    def __len__(self) -> int:
        return len(self._planned)

    def add(self, planned: dict[str, object], measured: pl.DataFrame) -> None:
        self._planned.append(planned)
        self._measured.append(measured)

    def take(self) -> pl.DataFrame:
        """Return the collected rows and clear them."""
        planned = self._planned_schema.table(self._planned)
        measured = pl.concat([SUMMARY.empty(), *self._measured], rechunk=True)
        self._planned, self._measured = [], []
        return planned.hstack(measured).select(self._schema.names)


def _finished_part(folder: "ResultFolder", run: "PlannedRun") -> Part | None:
    path = folder.part(run.run_id)
    if not run.supported or not path.exists():
        return None
    try:
        return Part.open(path)
    except DamagedPartError as error:
        message = (
            f"{path}: the file changed while the tables were written; run the same command again"
        )
        raise EnvironmentFailure(message) from error


def _append_tables(writers: Mapping[str, TableWriter], part: Part) -> None:
    for name in RUN_TABLES:
        for piece in part.pieces(name):
            writers[name].append(piece)


def _timing(part: Part) -> dict[str, object]:
    head = part.header
    return {"run_id": head.run_id, "wall_s": head.wall_s, "cpu_s": head.cpu_s}


def _planned(run: "PlannedRun") -> dict[str, object]:
    return {
        "study": run.study,
        "part": run.part,
        "case_id": run.case_id,
        "run_id": run.run_id,
        "stack": run.stack,
        "stack_resolved": run.stack_resolved,
        "engine": run.engine,
        "repetition": run.repetition,
        "seed": run.seed,
        "run_spec": run.spec_json,
    }


def _measured(run: "PlannedRun", part: Part | None) -> pl.DataFrame:
    return _not_measured(run.reason) if part is None else part.summary()


@cache
def _not_measured(reason: str | None) -> pl.DataFrame:
    row = dict.fromkeys(SUMMARY.names) | {"status": "unsupported", "reason": reason}
    return SUMMARY.table([row])


def _parameters(
    run: "PlannedRun", swept: Mapping[str, tuple[str, str | None]]
) -> dict[str, object]:
    # A column that holds both words and numbers over the study is one of words.
    return {
        name: str(value) if value is not None and swept[name][0] == "string" else value
        for name, value in run.parameters.items()
    }

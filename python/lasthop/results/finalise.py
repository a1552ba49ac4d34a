"""Finished runs into tables: the same rows give the same bytes, whenever they were finished."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pyarrow as pa

from lasthop.errors import EnvironmentFailure
from lasthop.results.atomic import replacement
from lasthop.results.part import DamagedPartError, Part
from lasthop.results.schema import MEASURED, RUN_TABLES, TIMINGS, runs_schema
from lasthop.results.table_writer import RUNS_ROW_GROUP, TableWriter

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder
    from lasthop.study import PlannedRun

_RUNS_BLOCK = 1024
_ROW_GROUPS = {"runs": RUNS_ROW_GROUP}
_NOT_MEASURED: Mapping[str, object] = dict.fromkeys(column.name for column in MEASURED)


def finalise(
    folder: "ResultFolder",
    planned: Iterator["PlannedRun"],
    *,
    swept: Mapping[str, tuple[pa.DataType, str | None]],
    advance: Callable[[], None],
) -> Counter[str]:
    """Write every table from the parts that exist, in planned order.

    Parameters
    ----------
    folder
        Where the parts lie and the tables go.
    planned
        The rows of `runs.parquet`; those whose run is not finished are left out.
    swept
        Type and unit of every swept column.
    advance
        Called after each row; what it raises leaves the folder as it was.

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
                        temporary[name], schema, row_group_rows=_ROW_GROUPS.get(name, 131_072)
                    )
                )
                for name, schema in schemas.items()
            }
            rows: list[dict[str, object]] = []
            seen: set[str] = set()
            for run in planned:
                part = _finished_part(folder, run)
                if part is None and run.supported:
                    continue
                row = _row(run, part) | _parameters(run, swept)
                rows.append(row)
                if len(rows) == _RUNS_BLOCK:
                    writers["runs"].append(pa.Table.from_pylist(rows, schema=schemas["runs"]))
                    rows = []
                if run.run_id not in seen:
                    seen.add(run.run_id)
                    counts[str(row["status"])] += 1
                    _append_tables(writers, part)
                advance()
            writers["runs"].append(pa.Table.from_pylist(rows, schema=schemas["runs"]))
    return counts


def _finished_part(folder: "ResultFolder", run: "PlannedRun") -> Part | None:
    path = folder.part(run.run_id)
    if not run.supported or not path.exists():
        return None
    try:
        return Part.open(path)
    except DamagedPartError as error:
        message = f"{path}: changed while the tables were written; run the same command again"
        raise EnvironmentFailure(message) from error


def _append_tables(writers: Mapping[str, TableWriter], part: Part | None) -> None:
    if part is None:
        return
    for name in RUN_TABLES:
        writers[name].append(part.table(name))
    head = part.header
    timing = {"run_id": head.run_id, "wall_s": head.wall_s, "cpu_s": head.cpu_s}
    writers["timings"].append(pa.Table.from_pylist([timing], schema=TIMINGS))


def _row(run: "PlannedRun", part: Part | None) -> dict[str, object]:
    measured = (
        {**_NOT_MEASURED, "status": "unsupported", "reason": run.reason}
        if part is None
        else part.summary()
    )
    return {
        "study": run.study,
        "part": run.part,
        "case_id": run.case_id,
        "run_id": run.run_id,
        "stack": run.stack,
        "stack_resolved": run.stack_resolved,
        "engine": "virtual",
        "repetition": run.repetition,
        "seed": run.seed,
        **measured,
        "run_spec": run.spec_json,
    }


def _parameters(
    run: "PlannedRun", swept: Mapping[str, tuple[pa.DataType, str | None]]
) -> dict[str, object]:
    # A column that holds both words and numbers over the study is one of words.
    return {
        name: str(value) if value is not None and swept[name][0] == pa.string() else value
        for name, value in run.parameters.items()
    }

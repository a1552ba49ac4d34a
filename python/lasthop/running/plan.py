"""What is to be run: a study, the wanted runs of it, and what identifies both."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from lasthop.running.selection import Selection

if TYPE_CHECKING:
    from lasthop.study import PlannedRun, Study

# How the study names a unit, and what the column's metadata says.
_UNITS = {"bytes": "B", "text": None, "count": None, "number": None}


class Plan:
    """Walks the study's runs as often as needed, so that only their ids are kept in memory.

    Attributes
    ----------
    identity
        A hash over every row of the whole study: equal for two plans that give equal tables.
    planned_runs
        How many different runs the whole study has.
    swept
        Arrow type and unit of every swept column.
    supported
        The ids of the wanted runs that can be simulated, in their order.
    row_count
        How many rows `rows` gives.
    """

    def __init__(self, study: "Study", selection: Selection | None = None) -> None:
        self.study = study
        self.selection = selection or Selection()
        digest = hashlib.sha256()
        indices: dict[str, int] = {}
        seeds: dict[str, int] = {}
        kinds: dict[str, set[type]] = {}
        supported: list[str] = []
        rows: Counter[str] = Counter()
        for run in study.planned_runs():
            if run.run_id not in indices and run.supported:
                supported.append(run.run_id)
            indices.setdefault(run.run_id, len(indices))
            rows[run.run_id] += 1
            seeds[str(run.repetition)] = run.seed
            if run.repetition == 1:  # what all repetitions of a case have in common
                for column, value in run.parameters.items():
                    kinds.setdefault(column, set()).add(type(value))
                case = [run.study, run.part, run.case_id, run.stack, dict(run.parameters)]
                digest.update(json.dumps(case, sort_keys=True, default=str).encode())
            digest.update(run.run_id.encode())
        units = {
            swept.column: _UNITS.get(swept.unit, swept.unit)
            for part in study.parts
            for swept in part.swept
        }
        self.identity = digest.hexdigest()
        self.planned_runs = len(indices)
        self.seeds = seeds
        self.swept = {
            column: (_arrow_type(found), units.get(column)) for column, found in kinds.items()
        }
        self._wanted = self.selection.choose(indices)
        self.supported = [run_id for run_id in supported if self._wants(run_id)]
        self.row_count = sum(count for run_id, count in rows.items() if self._wants(run_id))

    def rows(self) -> Iterator["PlannedRun"]:
        """Return the wanted rows of `runs.parquet`, a point that parts share more than once."""
        for run in self.study.planned_runs():
            if self._wants(run.run_id):
                yield run

    def unique(self) -> Iterator["PlannedRun"]:
        """Return the wanted runs, each once."""
        seen: set[str] = set()
        for run in self.rows():
            if run.run_id not in seen:
                seen.add(run.run_id)
                yield run

    def _wants(self, run_id: str) -> bool:
        return self._wanted is None or run_id in self._wanted


def _arrow_type(found: set[type]) -> pa.DataType:
    kinds = found - {type(None)}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    if kinds and kinds <= {int, float}:
        return pa.float64()
    return pa.string()

"""Plan of a campaign: the study, the selected runs and their ids."""

import hashlib
import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from lasthop.results.repeats import Repeats
from lasthop.running.processors import available_processors
from lasthop.running.selection import Selection
from lasthop.study.rules.software import LIVE

if TYPE_CHECKING:
    from lasthop.study import PlannedRun, Study

_LIVE_RUNS_A_PROCESSOR = 2
"""Number of concurrent live runs for each processor. One uses 1 to 3 % of a processor."""

# How the study names a unit, and what the column's metadata says.
_UNITS = {"bytes": "B", "text": None, "count": None, "number": None}


class Plan:
    """The runs of a study that a campaign executes. They are generated on each iteration.

    Attributes
    ----------
    identity
        A hash over every row of the whole study: equal for two plans that give equal tables.
    planned_runs
        How many different runs the whole study has.
    swept
        Type, by its name in Arrow, and unit of every swept column.
    row_count
        How many rows `rows` gives.
    """

    def __init__(self, study: "Study", selection: Selection | None = None) -> None:
        self.study = study
        self.selection = selection or Selection()
        digest = hashlib.sha256()
        seeds: dict[str, int] = {}
        kinds: dict[str, set[type]] = {}
        self.planned_runs = rows = 0
        repeats = Repeats()
        for run in study.planned_runs():
            rows += 1
            self.planned_runs += not repeats.sees(run)
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
        self.seeds = seeds
        self.swept = {
            column: (_arrow_type(found), units.get(column)) for column, found in kinds.items()
        }
        self._wanted = None if self.selection.chooses_all else self._chosen()
        self.row_count = rows if self._wanted is None else sum(1 for _ in self.rows())

    @property
    def engines(self) -> set[str]:
        """Return the engines of the points: `virtual`, `wall_clock`, `live` or `load`."""
        return {point.conditions["engine"] for point in self.study.points}

    @property
    def is_live(self) -> bool:
        """Return whether servers or devices may be real software."""
        return LIVE in self.engines

    @property
    def usual_jobs(self) -> int:
        """Return the default number of concurrent runs."""
        return available_processors() * (_LIVE_RUNS_A_PROCESSOR if self.is_live else 1)

    def rows(self) -> Iterator["PlannedRun"]:
        """Yield the selected rows of `runs.parquet`. Parts can share a run."""
        for run in self.study.planned_runs():
            if self._wanted is None or run.run_id in self._wanted:
                yield run

    def unique(self) -> Iterator["PlannedRun"]:
        """Yield the selected runs without duplicates."""
        repeats = Repeats()
        return (run for run in self.rows() if not repeats.sees(run))

    def supported(self) -> Iterator["PlannedRun"]:
        """Yield the selected runs that can be simulated, without duplicates."""
        return (run for run in self.unique() if run.supported)

    def _chosen(self) -> AbstractSet[str] | None:
        repeats = Repeats()
        ids = (run.run_id for run in self.study.planned_runs() if not repeats.sees(run))
        return self.selection.choose({run_id: index for index, run_id in enumerate(ids)})


def _arrow_type(found: set[type]) -> str:
    kinds = found - {type(None)}
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    if kinds and kinds <= {int, float}:
        return "float64"
    return "string"

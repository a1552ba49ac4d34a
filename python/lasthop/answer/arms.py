"""Arms: the repetitions of one stack at one point."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import polars as pl

from lasthop.measures import column_of
from lasthop.referee.row import OVERLOAD


@dataclass(frozen=True, slots=True)
class AnswerArm:
    """The runs of one stack at one point.

    Parameters
    ----------
    stack : str
        What the study calls it.
    completed : polars.DataFrame
        The runs that count.
    troubles : tuple of Trouble
        The runs that do not, counted by status and reason.
    """

    stack: str
    completed: pl.DataFrame
    troubles: tuple["Trouble", ...]

    @property
    def overload(self) -> "Trouble | None":
        """The overload of its runs, where the study takes it for a result."""
        runs = self.completed.filter(pl.col("reason") == OVERLOAD)
        if runs.is_empty():
            return None
        return Trouble(OVERLOAD, "more is offered than the path carries", runs.height)

    def by_seed(self, column: str, *, worst: float) -> dict[int, float]:
        """Return a value for each seed. An empty cell counts as ``worst`` (infinite).

        So it does for what has no value under overload.
        """
        found = self.measured(column, worst=worst)
        return dict.fromkeys(found, worst) if self._never_settles(column) else found

    def measured(self, column: str, *, worst: float) -> dict[int, float]:
        """Return the measured value of each run by seed. Values of overloaded runs are included."""
        if column not in self.completed.columns:
            return {}
        seeds, values = self.completed["seed"].to_list(), self.completed[column].to_list()
        pairs = sorted(zip(seeds, values, strict=True), key=itemgetter(0))
        return {seed: worst if value is None else float(value) for seed, value in pairs}

    def mean_row(self) -> dict[str, Any]:
        """Return one row for all repetitions, with the `mean` of each column."""
        return {name: self.mean(name) for name in self.completed.columns}

    def mean(self, column: str) -> Any:  # noqa: ANN401  (a cell of a table)
        """Return the value of a column over all repetitions.

        Numbers are means. A column that is empty in one repetition is empty in the mean: an
        infinite latency stays infinite, and so is one under overload. What is no number is taken
        from the first run.
        """
        if self._never_settles(column):
            return None
        series = self.completed[column]
        if not series.dtype.is_numeric():
            return series[0]
        values = series.to_list()
        if None in values:
            return None
        # The sum of equal fractions divided by their number is not always the fraction.
        return values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each completed run."""
        return self.completed.to_dicts()

    def _never_settles(self, column: str) -> bool:
        return column_of(column).is_waiting and self.overload is not None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Runs that do not count.

    Parameters
    ----------
    status : str
        ``failed``, ``invalid``, ``unsupported``, ``missing`` or ``overload``.
    reason : str
        Why, in words.
    runs : int
        How many.
    """

    status: str
    reason: str
    runs: int


def arms_of(rows: pl.DataFrame, stacks: Sequence[str]) -> tuple[AnswerArm, ...]:
    """Divide the runs of a point into its arms, in the order of ``stacks``."""
    found = {key[0]: group for key, group in rows.group_by("stack", maintain_order=True)}
    others = [name for name in found if name not in stacks]
    return tuple(_arm(found.get(name, rows.clear()), name) for name in [*stacks, *others])


def stack_names(study: Mapping[str, Any]) -> list[str]:
    """Return the stacks in the order of the study."""
    return [entry["name"] for entry in study.get("stacks", ())]


def _arm(rows: pl.DataFrame, stack: str) -> AnswerArm:
    statuses = rows["status"].to_list()
    if not statuses:
        return AnswerArm(stack, rows, (Trouble("missing", "no run of it is in these results", 0),))
    if set(statuses) == {"completed"}:
        return AnswerArm(stack, rows, ())
    troubled = Counter(
        (status, reason or "no reason was given")
        for status, reason in zip(statuses, rows["reason"].to_list(), strict=True)
        if status != "completed"
    )
    return AnswerArm(
        stack=stack,
        completed=rows.filter(pl.col("status") == "completed"),
        troubles=tuple(
            Trouble(status, reason, runs) for (status, reason), runs in troubled.items()
        ),
    )

"""Runs all checks of the referee over runs in any order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lasthop.referee.case import Case
from lasthop.referee.credentials import believing_anybody, different_credentials
from lasthop.referee.identity import ArmAtPoint, ArmsOfPart
from lasthop.referee.row import OVERLOAD, REPEATED_RUN, RunRow
from lasthop.referee.ruling import Ruling
from lasthop.referee.tally import Tally


@dataclass(frozen=True, slots=True)
class Change:
    """A run whose status or reason changes in the table."""

    before: str
    status: str
    reason: str | None


class Watch:
    """Checks every run once and collects untrustworthy results.

    Where the repetitions of a case follow each other, as in tables that were written at once,
    no more than one point is in memory. What remains are the runs with a changed status.

    Parameters
    ----------
    study
        The study in the manifest.

    Attributes
    ----------
    changes
        The runs whose status or reason changes, by id.
    """

    def __init__(self, study: Mapping[str, Any]) -> None:
        self.changes: dict[str, Change] = {}
        self._study = study
        self._repeat = study["repeat"]
        self._arms = sum(stack["supported"] for stack in study["stacks"])
        self._cases: dict[tuple[str, str], Case] = {}
        self._points: dict[tuple[str, str], dict[str, ArmAtPoint]] = {}
        self._parts: dict[str, ArmsOfPart] = {}
        self._ran: set[str] = set()
        self._tally = Tally(study)

    def see(self, run: RunRow, run_spec: str) -> None:
        """Add a run to the checks."""
        key = (run.part, run.case_id)
        case = self._cases.get(key)
        if case is None:
            case = self._cases[key] = Case(run.part, run.stack, run_spec)
        case.runs.append(run)
        if len(case.runs) == self._repeat:
            self._judge(self._cases.pop(key))

    def ruling(self) -> Ruling:
        """Judge the remaining incomplete cases and return all findings."""
        while self._cases:
            _, case = self._cases.popitem()
            self._judge(case)
        while self._points:
            (part, _), point = self._points.popitem()
            self._parts[part].add(point)
        return Ruling(
            runs=(
                *self._tally.findings(),
                *believing_anybody(self._study["stacks"], self._ran),
            ),
            comparisons=(
                *self._tally.identical(self._parts),
                *different_credentials(self._study["stacks"], self._ran),
            ),
        )

    def _judge(self, case: Case) -> None:
        if case.completed:
            self._ran.add(case.stack)
        self._judge_runs(case)
        arm = case.arm()
        if not arm.traces:
            return
        key = (case.part, case.conditions)
        point = self._points.setdefault(key, {})
        point[case.stack] = arm
        arms = self._parts.setdefault(case.part, ArmsOfPart())
        if len(point) == self._arms:
            arms.add(self._points.pop(key))

    def _judge_runs(self, case: Case) -> None:
        repeated = {run.run_id for group in case.repeated for run in group}
        overloaded = case.load.is_too_much
        self._tally.count(case)
        for run in case.completed:
            if run.run_id in repeated:
                status, reason = "invalid", REPEATED_RUN
            elif overloaded:
                status = "completed" if self._tally.overload_allowed else "invalid"
                reason = OVERLOAD
            else:
                status, reason = "completed", None
            if (run.status, run.reason) != (status, reason):
                self.changes[run.run_id] = Change(run.status, status, reason)

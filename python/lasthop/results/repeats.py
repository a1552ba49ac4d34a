"""Recognizes runs that several parts or arms of a study share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.study import PlannedRun


class Repeats:
    """Detects repeated runs in planned order.

    The repetitions of a case follow each other; parts and arms share whole cases, so that one
    number a case is remembered (about 0.1 kB), whatever the number of runs.
    """

    def __init__(self) -> None:
        self._cases: set[int] = set()
        self._case = ""
        self._repetition = 0
        self._again = False

    def sees(self, run: "PlannedRun") -> bool:
        """Return whether the next run was seen before."""
        if run.case_id != self._case or run.repetition <= self._repetition:
            number = int(run.case_id, 16)
            self._case, self._again = run.case_id, number in self._cases
            self._cases.add(number)
        self._repetition = run.repetition
        return self._again

"""Runs that several parts of a study share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.study import PlannedRun


class Repeats:
    """Tells the runs that an earlier part had already, of runs that come in planned order.

    The repetitions of a case follow each other and parts share whole cases, so that one number a
    case is remembered (about 0.1 kB), whatever the number of runs.
    """

    def __init__(self) -> None:
        self._cases: set[int] = set()
        self._case: tuple[str, str] | None = None
        self._again = False

    def sees(self, run: "PlannedRun") -> bool:
        """Take the next run; tell whether it was there before."""
        case = (run.part, run.case_id)
        if case != self._case:
            number = int(run.case_id, 16)
            self._case, self._again = case, number in self._cases
            self._cases.add(number)
        return self._again

"""The interface of an executor, which computes the runs of a campaign."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from lasthop.results.folder import ResultFolder
from lasthop.running.progress import Progress

if TYPE_CHECKING:
    from lasthop.running.plan import Plan
    from lasthop.study import PlannedRun


class Executor(Protocol):
    """Interface of a class that simulates runs and stores a part for each."""

    def execute(self, runs: "MissingRuns", folder: ResultFolder, progress: Progress) -> None:
        """Simulate all runs, until each has a part file or `stop` is called.

        Raises
        ------
        LasthopError
            The environment failed; what was finished by then has its part.
        """
        ...

    def stop(self) -> None:
        """Stop soon and finally; finished runs are kept. Signal handlers call this."""
        ...


class MissingRuns:
    """The unfinished runs of a plan, which can be iterated repeatedly.

    A byte a run is all that is remembered of those that are done.

    Parameters
    ----------
    plan
        Plan of the runs.
    done
        Whether a run is done, for each of `plan.supported()`, in that order.
    """

    def __init__(self, plan: "Plan", done: Sequence[int]) -> None:
        self.plan = plan
        self._done = done
        self._missing = len(done) - sum(done)

    def __len__(self) -> int:
        """Return the number of unfinished runs."""
        return self._missing

    def __iter__(self) -> Iterator["PlannedRun"]:
        """Yield the unfinished runs in planned order."""
        for run, done in zip(self.plan.supported(), self._done, strict=True):
            if not done:
                yield run

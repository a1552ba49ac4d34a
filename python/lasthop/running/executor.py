"""The interface of an executor, which computes the runs of a campaign."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from lasthop.results.folder import ResultFolder
from lasthop.running.progress import Progress

if TYPE_CHECKING:
    from lasthop.running.plan import Plan
    from lasthop.study import PlannedRun


class Executor(Protocol):
    """Simulates runs, wherever it does so, and leaves the part of each in the folder."""

    def execute(self, runs: "MissingRuns", folder: ResultFolder, progress: Progress) -> None:
        """Simulate until every run has its part, or until `stop`.

        Raises
        ------
        LasthopError
            The environment failed; what was finished by then has its part.
        """
        ...

    def stop(self) -> None:
        """End soon and for good, keeping what is finished; called by handlers of signals."""
        ...


class MissingRuns:
    """The runs of a plan that are not done; walked as often as needed.

    A byte a run is all that is remembered of those that are done.

    Parameters
    ----------
    plan
        What they belong to.
    done
        Whether a run is done, for each of `plan.supported()`, in that order.
    """

    def __init__(self, plan: "Plan", done: Sequence[int]) -> None:
        self.plan = plan
        self._done = done
        self._missing = len(done) - sum(done)

    def __len__(self) -> int:
        """Return how many there are."""
        return self._missing

    def __iter__(self) -> Iterator["PlannedRun"]:
        """Give them in planned order."""
        for run, done in zip(self.plan.supported(), self._done, strict=True):
            if not done:
                yield run

"""Executes all runs of a plan, stores each and writes the tables."""

from collections import Counter
from typing import TYPE_CHECKING

from lasthop.errors import Interrupted
from lasthop.referee.rule import rule
from lasthop.results.finalise import finalise
from lasthop.results.folder import ResultFolder
from lasthop.running.captured_hosts import CapturedHosts, captures_of
from lasthop.running.executor import Executor, MissingRuns
from lasthop.running.interrupts import Interrupts
from lasthop.running.judging import judge_and_close
from lasthop.running.plan import Plan
from lasthop.running.progress import Progress

if TYPE_CHECKING:
    from lasthop.study import PlannedRun


class Campaign:
    """Executes the unfinished runs of a plan, then writes the tables."""

    def __init__(
        self,
        plan: Plan,
        folder: ResultFolder,
        *,
        executor: Executor,
        capture: CapturedHosts | None,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._executor = executor
        self._capture = capture
        self._progress = progress

    def execute(self) -> Counter[str]:
        """Execute the runs, write the tables and return the number of runs by status.

        Raises
        ------
        Interrupted
            A signal came; what is finished is in the tables and in the parts.
        LasthopError
            The environment failed; what is finished is in the parts.
        """
        folder = self._folder
        folder.prepare(captures=self._capture is not None)
        with Interrupts(self._executor.stop) as interrupts:
            self._simulate_all()
            if interrupts.requested:
                manifest = folder.manifest.ended("interrupted", self._gather(None))
                judge_and_close(folder, manifest, self._progress)
                interrupts.check()
            try:
                counts = self._gather(interrupts)
            except Interrupted:
                judge_and_close(folder, folder.manifest.ended("interrupted", {}), self._progress)
                raise
            judge_and_close(folder, folder.manifest.ended("complete", counts), self._progress)
        return counts

    @property
    def lacks_captures(self) -> bool:
        """Return whether a requested capture of a run is missing."""
        return self._capture is not None and any(
            not path.exists()
            for run in self._plan.supported()
            for path in captures_of(self._capture, run, self._folder).values()
        )

    def capture_missing(self) -> None:
        """Repeat the runs of a complete folder that lack a capture."""
        self._folder.prepare(captures=True)
        with Interrupts(self._executor.stop) as interrupts:
            self._simulate_all()
            self._folder.remove_parts()
            interrupts.check()

    def _simulate_all(self) -> None:
        done = bytearray(self._is_done(run) for run in self._plan.supported())
        self._progress.began(total=len(done), finished_before=sum(done))
        missing = MissingRuns(self._plan, done)
        if missing:
            if self._folder.has_captures:
                for run in missing:
                    if run.engine != "virtual":  # on a clock it sends other packets each time
                        self._folder.remove_captures(run.run_id)
            self._executor.execute(missing, self._folder, self._progress)

    def _is_done(self, run: "PlannedRun") -> bool:
        captures = captures_of(self._capture, run, self._folder)
        if not all(path.exists() for path in captures.values()):
            return False
        return self._folder.complete or self._folder.is_finished(run.run_id)

    def _gather(self, interrupts: Interrupts | None) -> Counter[str]:
        self._progress.writing_tables(rows=self._plan.row_count)

        def advance() -> None:
            self._progress.row_written()
            if interrupts is not None:
                interrupts.check()

        counts = finalise(self._folder, self._plan.rows(), swept=self._plan.swept, advance=advance)
        return rule(self._folder, counts)

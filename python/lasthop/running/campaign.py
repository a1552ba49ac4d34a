"""All runs of a plan: simulated in threads, stored one by one, gathered into tables."""

import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lasthop.errors import EnvironmentFailure, Interrupted, LasthopError
from lasthop.referee.rule import rule
from lasthop.results.atomic import environment, replacement
from lasthop.results.finalise import finalise
from lasthop.results.folder import ResultFolder
from lasthop.results.part import PartHeader, failed_streams, read_status, write_part
from lasthop.results.table_writer import release_memory
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.engine import CancelledError, Engine, Switch
from lasthop.running.interrupts import Interrupts
from lasthop.running.judging import judge_and_close
from lasthop.running.plan import Plan
from lasthop.running.progress import Progress, RunFinished

if TYPE_CHECKING:
    from lasthop.study import PlannedRun


@dataclass(frozen=True, slots=True)
class _WorkerEnded:
    pass


@dataclass(frozen=True, slots=True)
class _SignalCame:
    pass


_News: TypeAlias = RunFinished | LasthopError | _WorkerEnded | _SignalCame


class Campaign:
    """Executes what of a plan is not finished yet, then writes the tables.

    The engine leaves the interpreter's lock alone while it simulates, so threads are enough to
    use every core, and a run can be stopped in the middle.
    """

    def __init__(  # noqa: PLR0913  (all are keywords)
        self,
        plan: Plan,
        folder: ResultFolder,
        *,
        engine: Engine,
        jobs: int,
        capture: CapturedHosts | None,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._engine = engine
        self._jobs = jobs
        self._capture = capture
        self._progress = progress
        self._news: queue.SimpleQueue[_News] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._switches: set[Switch] = set()
        self._switches_lock = threading.Lock()

    def execute(self) -> Counter[str]:
        """Run, store, gather; return how many runs there are of each status.

        Raises
        ------
        Interrupted
            A signal came; what is finished is in the tables and in the parts.
        LasthopError
            The environment failed; what is finished is in the parts.
        """
        folder = self._folder
        folder.prepare(captures=self._capture is not None)
        with Interrupts(lambda: self._news.put(_SignalCame())) as interrupts:
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

    def capture_missing(self) -> None:
        """Run again, for their packets alone, the runs of a complete folder without a capture."""
        self._folder.prepare(captures=True)
        with Interrupts(lambda: self._news.put(_SignalCame())) as interrupts:
            self._simulate_all()
            self._folder.remove_parts()
            interrupts.check()

    def _simulate_all(self) -> None:
        # A byte a run is all that is remembered of those that are done.
        done = bytearray(self._is_done(run) for run in self._plan.supported())
        finished_before = sum(done)
        missing = len(done) - finished_before
        self._progress.began(total=len(done), finished_before=finished_before)
        runs = _Shared(
            run for run, known in zip(self._plan.supported(), done, strict=True) if not known
        )
        workers = [
            threading.Thread(target=self._work, args=(runs,), daemon=True, name=f"lasthop-{index}")
            for index in range(min(self._jobs, missing))
        ]
        for worker in workers:
            worker.start()
        failure = self._follow(len(workers))
        for worker in workers:
            worker.join()
        if failure is not None:
            raise failure

    def _is_done(self, run: "PlannedRun") -> bool:
        if not all(path.exists() for path in self._captures(run).values()):
            return False
        return self._folder.complete or self._folder.is_finished(run.run_id)

    def _captures(self, run: "PlannedRun") -> dict[str, Path]:
        """Name the files of the hosts whose packets are kept of a run."""
        hosts = () if self._capture is None else self._capture.of(run.spec_json)
        return {host: self._folder.capture(run.run_id, host) for host in hosts}

    def _follow(self, running: int) -> LasthopError | None:
        failure: LasthopError | None = None
        while running:
            news = self._news.get()
            match news:
                case RunFinished():
                    self._progress.run_finished(news)
                case _WorkerEnded():
                    running -= 1
                case _SignalCame():
                    self._progress.stopping()
                    self._stop_all()
                case LasthopError():
                    failure = failure or news
                    self._stop_all()
        return failure

    def _stop_all(self) -> None:
        self._stop.set()
        with self._switches_lock:
            for switch in self._switches:
                switch.cancel()

    def _work(self, runs: "_Shared") -> None:
        try:
            while not self._stop.is_set() and (run := runs.next()) is not None:
                self._news.put(self._finish(run))
        except CancelledError:
            pass
        except LasthopError as error:
            self._news.put(error)
        except Exception as error:  # noqa: BLE001  a worker's end must never go unheard
            self._news.put(LasthopError(f"internal error: {type(error).__name__}: {error}"))
        finally:
            self._news.put(_WorkerEnded())

    def _finish(self, run: "PlannedRun") -> RunFinished:
        switch = self._engine.switch()
        with self._switches_lock:
            self._switches.add(switch)
        if self._stop.is_set():
            raise CancelledError
        wall, cpu = time.perf_counter(), time.thread_time()
        try:
            captures = self._captures(run)
            with _replacements(captures) as temporaries:
                streams = self._simulate(run, temporaries, switch)
        finally:
            with self._switches_lock:
                self._switches.discard(switch)
        header = PartHeader(
            run_id=run.run_id,
            status=read_status(streams),
            wall_s=time.perf_counter() - wall,
            cpu_s=time.thread_time() - cpu,
            captured=bool(captures),
        )
        write_part(self._folder.part(run.run_id), header, streams)
        return RunFinished(run_id=run.run_id, status=header.status, wall_s=header.wall_s)

    def _simulate(
        self, run: "PlannedRun", captures: Mapping[str, Path], switch: Switch
    ) -> dict[str, bytes]:
        try:
            return dict(
                self._engine.simulate(
                    run.spec_json, run_id=run.run_id, captures=captures, switch=switch
                )
            )
        except (CancelledError, LasthopError):
            raise
        except MemoryError as error:
            raise EnvironmentFailure("out of memory; try again with fewer --jobs") from error
        except BaseException as error:  # noqa: BLE001  a panic of the extension is a BaseException
            # A bug met by one run must neither vanish nor take the other runs with it.
            reason = f"lasthop failed: {type(error).__name__}: {error}"
            return failed_streams(status="invalid", reason=reason)

    def _gather(self, interrupts: Interrupts | None) -> Counter[str]:
        self._progress.writing_tables(rows=self._plan.row_count)

        def advance() -> None:
            self._progress.row_written()
            if interrupts is not None:
                interrupts.check()

        counts = finalise(self._folder, self._plan.rows(), swept=self._plan.swept, advance=advance)
        ruled = rule(self._folder, counts)
        release_memory()
        return ruled


@contextmanager
def _replacements(targets: Mapping[str, Path]) -> Iterator[dict[str, Path]]:
    """Give names to write to; on success all of them get into place, on failure all vanish."""
    with ExitStack() as files:
        temporaries = {}
        for host, target in targets.items():
            files.enter_context(environment(target))
            temporaries[host] = files.enter_context(replacement(target))
        yield temporaries
        for temporary in temporaries.values():
            temporary.touch()  # a run that failed early has captured nothing


class _Shared:
    """One iterator, many threads."""

    def __init__(self, runs: Iterator["PlannedRun"]) -> None:
        self._runs = runs
        self._lock = threading.Lock()

    def next(self) -> "PlannedRun | None":
        with self._lock:
            return next(self._runs, None)

"""Executes runs in threads of this process."""

import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lasthop.errors import LasthopError
from lasthop.results.atomic import environment, replacement
from lasthop.results.folder import ResultFolder
from lasthop.results.part import write_part
from lasthop.running.captured_hosts import CapturedHosts, captures_of
from lasthop.running.engine import CancelledError, Engine, Switch
from lasthop.running.executor import MissingRuns
from lasthop.running.finishing import finish
from lasthop.running.progress import Progress, RunFinished

if TYPE_CHECKING:
    from lasthop.study import PlannedRun


@dataclass(frozen=True, slots=True)
class _WorkerEnded:
    pass


@dataclass(frozen=True, slots=True)
class _Stop:
    pass


_News: TypeAlias = RunFinished | LasthopError | _WorkerEnded | _Stop


class LocalExecutor:
    """Executor with one thread for each concurrent run.

    The engine leaves the interpreter's lock alone while it simulates, so threads are enough to
    use every core, and a run can be stopped in the middle.
    """

    def __init__(self, engine: Engine, *, jobs: int, capture: CapturedHosts | None = None) -> None:
        self._engine = engine
        self._jobs = jobs
        self._capture = capture
        self._news: queue.SimpleQueue[_News] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._switches: set[Switch] = set()
        self._switches_lock = threading.Lock()

    def execute(self, runs: MissingRuns, folder: ResultFolder, progress: Progress) -> None:
        """Simulate all runs, until each has a part file or `stop` is called."""
        shared = _Shared(iter(runs))
        workers = [
            threading.Thread(
                target=self._work, args=(shared, folder), daemon=True, name=f"lasthop-{index}"
            )
            for index in range(min(self._jobs, len(runs)))
        ]
        for worker in workers:
            worker.start()
        failure = self._follow(len(workers), progress)
        for worker in workers:
            worker.join()
        if failure is not None:
            raise failure

    def stop(self) -> None:
        """Cancel the current runs."""
        self._news.put(_Stop())

    def _follow(self, running: int, progress: Progress) -> LasthopError | None:
        failure: LasthopError | None = None
        while running:
            news = self._news.get()
            match news:
                case RunFinished():
                    progress.run_finished(news)
                case _WorkerEnded():
                    running -= 1
                case _Stop():
                    progress.stopping()
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

    def _work(self, runs: "_Shared", folder: ResultFolder) -> None:
        try:
            while not self._stop.is_set() and (run := runs.next()) is not None:
                self._news.put(self._finish(run, folder))
        except CancelledError:
            pass
        except LasthopError as error:
            self._news.put(error)
        except Exception as error:  # noqa: BLE001  a worker's end must never go unheard
            self._news.put(LasthopError(f"internal error: {type(error).__name__}: {error}"))
        finally:
            self._news.put(_WorkerEnded())

    def _finish(self, run: "PlannedRun", folder: ResultFolder) -> RunFinished:
        switch = self._engine.switch()
        with self._switches_lock:
            self._switches.add(switch)
        if self._stop.is_set():
            raise CancelledError
        messages = folder.messages_of(run.run_id)
        try:
            with _replacements(captures_of(self._capture, run, folder)) as captures:
                finished = finish(
                    run.run_id,
                    run.spec_json,
                    engine=self._engine,
                    switch=switch,
                    captures=captures,
                    messages=messages,
                )
            header = finished.header
            write_part(folder.part(run.run_id), header, finished.streams)
        finally:
            with self._switches_lock:
                self._switches.discard(switch)
            with environment(messages):
                messages.unlink(missing_ok=True)
        return RunFinished(run_id=run.run_id, status=header.status, wall_s=header.wall_s)


@contextmanager
def _replacements(targets: Mapping[str, Path]) -> Iterator[dict[str, Path]]:
    """Yield temporary paths that replace all targets on success, or are all removed."""
    with ExitStack() as files:
        temporaries = {}
        for host, target in targets.items():
            files.enter_context(environment(target))
            temporaries[host] = files.enter_context(replacement(target))
        yield temporaries
        for temporary in temporaries.values():
            temporary.touch()  # a run that failed early has captured nothing


class _Shared:
    """Thread-safe access of several workers to one iterator."""

    def __init__(self, runs: Iterator["PlannedRun"]) -> None:
        self._runs = runs
        self._lock = threading.Lock()

    def next(self) -> "PlannedRun | None":
        with self._lock:
            return next(self._runs, None)

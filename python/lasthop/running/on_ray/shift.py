"""Manages the workers of one campaign: starts, replaces and ends them."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, LasthopError
from lasthop.results.build import this_build
from lasthop.results.part import DamagedPartError, store_part, write_part
from lasthop.running.finishing import given_up
from lasthop.running.on_ray.chunks import MOST_DEATHS, Chunk, ChunkQueue
from lasthop.running.on_ray.cluster import Cluster
from lasthop.running.progress import Progress, RunFinished

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder
    from lasthop.study import PlannedRun

_LOOK_FOR_SIGNALS_S = 0.2


@dataclass(slots=True, eq=False)
class _Worker:
    """State of a worker in this process.

    Attributes
    ----------
    actor
        What Ray calls it.
    chunk
        What it has to do.
    installed
        Tells what is installed there; None once that is known to fit.
    answers
        What it has still to send, in the order of its work, with the run of each.
    """

    actor: Any
    chunk: Chunk
    installed: Any
    answers: deque[tuple["PlannedRun", Any]] = field(default_factory=deque)

    @property
    def next_answer(self) -> Any:  # noqa: ANN401  (a reference of Ray)
        return self.answers[0][1] if self.installed is None else self.installed


class Shift:
    """Executes a queue of chunks on workers."""

    def __init__(
        self,
        cluster: Cluster,
        chunks: ChunkQueue,
        folder: "ResultFolder",
        progress: Progress,
        *,
        memory_bytes: int,
    ) -> None:
        self._cluster = cluster
        self._ray = cluster.ray
        self._chunks = chunks
        self._folder = folder
        self._progress = progress
        self._memory_bytes = memory_bytes
        self._workers: list[_Worker] = []
        self._died_starting = 0

    def work(self, is_over: Callable[[], bool]) -> None:
        """Execute all chunks, or stop when `is_over` returns true.

        Raises
        ------
        LasthopError
            The environment failed, here or on a worker.
        """
        try:
            while not is_over():
                self._cluster.check_node()
                self._hire()
                if not self._workers:
                    return
                self._take_answer(_LOOK_FOR_SIGNALS_S)
            self._progress.stopping()
            while self._take_answer(0.0):
                pass
        finally:
            for worker in self._workers:
                self._cluster.dismiss(worker.actor)

    def _hire(self) -> None:
        while len(self._workers) < self._cluster.places():
            chunk = self._chunks.next()
            if chunk is None:
                return
            actor = self._cluster.hire(memory_bytes=self._memory_bytes)
            self._workers.append(_Worker(actor, chunk, actor.installed.remote()))

    def _give(self, worker: _Worker, chunk: Chunk) -> None:
        # All at once, so that a worker does not wait for us between its runs. Its runs have names
        # for those who watch the processes of a machine or the cluster.
        worker.chunk = chunk
        with self._cluster.connection():
            worker.answers.extend(
                (run, worker.actor.run.options(name=run.run_id).remote(run.run_id, run.spec_json))
                for run in chunk.runs
            )

    def _take_answer(self, patience_s: float) -> bool:
        """Process the next answer; return whether one came within the time."""
        expected = {worker.next_answer: worker for worker in self._workers}
        if not expected:
            return False
        with self._cluster.connection():
            ready, _ = self._ray.wait(list(expected), timeout=patience_s)
        for answer in ready:
            self._take(expected[answer], answer)
        return bool(ready)

    def _take(self, worker: _Worker, answer: Any) -> None:  # noqa: ANN401
        errors = self._ray.exceptions
        try:
            with self._cluster.connection():
                found = self._ray.get(answer)
        except errors.RayTaskError as error:
            raise _told_by_a_worker(error.cause) from error
        except errors.RayError as error:
            self._bury(worker, error)
            return
        if worker.installed is not None:
            _check_build(*found)
            worker.installed, self._died_starting = None, 0
            self._give(worker, worker.chunk)
            return
        run, _ = worker.answers.popleft()
        self._store(run, found)
        if not worker.answers:
            self._end_chunk(worker)

    def _store(self, run: "PlannedRun", content: bytes) -> None:
        try:
            header = store_part(self._folder.part(run.run_id), content, run.run_id)
        except DamagedPartError as error:
            message = f"run {run.run_id}: its results arrived damaged from the worker"
            raise EnvironmentFailure(f"{message}; run the same command again") from error
        self._told(run, header.status, header.wall_s)

    def _end_chunk(self, worker: _Worker) -> None:
        chunk = self._chunks.next()
        if chunk is not None:
            self._give(worker, chunk)
            return
        self._cluster.dismiss(worker.actor)
        self._workers.remove(worker)

    def _bury(self, worker: _Worker, error: Exception) -> None:
        self._workers.remove(worker)
        self._cluster.dismiss(worker.actor)
        if worker.installed is not None:
            self._chunks.put_back(worker.chunk)
            self._died_starting += 1
            if self._died_starting >= MOST_DEATHS:
                raise EnvironmentFailure(
                    f"the workers die before they begin: {_why(error)}; check "
                    "the memory and the installation of lasthop on the "
                    "machines of the cluster"
                )
            return
        left = tuple(run for run, _ in worker.answers)
        lost = self._chunks.take_after_death(worker.chunk, left)
        if lost is None:
            return
        reason = f"its worker died {lost.deaths} times, the last time because {_why(error)}"
        for run in lost.runs:
            failed = given_up(run.run_id, reason)
            write_part(self._folder.part(run.run_id), failed.header, failed.streams)
            self._told(run, failed.header.status, failed.header.wall_s)

    def _told(self, run: "PlannedRun", status: str, wall_s: float) -> None:
        self._progress.run_finished(RunFinished(run_id=run.run_id, status=status, wall_s=wall_s))


def _check_build(machine: str, build: str | None) -> None:
    here = this_build()
    if build != here:
        there = "no lasthop" if build is None else f"lasthop {build}"
        message = f"the worker on {machine} has {there}, and this machine has {here}"
        raise EnvironmentFailure(
            f"{message}; install the same version on every machine of the cluster"
        )


def _told_by_a_worker(cause: BaseException) -> LasthopError:
    if isinstance(cause, LasthopError):
        return cause
    return LasthopError(f"internal error on a worker: {type(cause).__name__}: {cause}")


def _why(error: Exception) -> str:
    """Describe why a worker ended, from Ray's error."""
    told = str(error).lower()
    if "low on memory" in told or "oom" in type(error).__name__.lower():
        return "its machine ran out of memory"
    if "node" in told and "node has died" in told:
        return "its machine went away"
    return "its process ended"

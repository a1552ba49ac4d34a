"""Executes runs on the workers of a Ray cluster."""

import os
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lasthop.running.engine import NativeEngine
from lasthop.running.executor import MissingRuns
from lasthop.running.on_ray.address import RayAddress
from lasthop.running.on_ray.chunks import ChunkQueue
from lasthop.running.on_ray.cluster import Cluster
from lasthop.running.on_ray.shift import Shift
from lasthop.running.trials import seconds_a_run

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder
    from lasthop.running.progress import Progress

_TRIALS_S = 3.0


class RayExecutor:
    """Executor that sends chunks of runs to Ray workers and stores their results.

    The cluster is joined when there is something to run, and left when the context ends. Until
    then nothing is printed: Ray would.

    Parameters
    ----------
    address
        The cluster.
    jobs
        The most workers at a time; every processor of the cluster without it.
    """

    def __init__(self, address: RayAddress, *, jobs: int | None) -> None:
        self._address = address
        self._jobs = jobs
        self._cluster: Cluster | None = None
        self._stopping = False
        self._context = ExitStack()

    def __enter__(self) -> Self:
        """Suppress the output of Ray."""
        nowhere = self._context.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        self._context.enter_context(redirect_stdout(nowhere))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect from the cluster."""
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None
        self._context.close()

    def execute(self, runs: MissingRuns, folder: "ResultFolder", progress: "Progress") -> None:
        """Simulate all runs, until each has a part file or `stop` is called."""
        if self._cluster is None:
            self._cluster = Cluster(self._address, jobs=self._jobs)
        cluster = self._cluster
        memory_bytes = cluster.check_memory(runs.plan)
        seconds = seconds_a_run(runs.plan, NativeEngine(), trials_s=_TRIALS_S)
        chunks = ChunkQueue(runs, seconds, workers=cluster.places)
        shift = Shift(cluster, chunks, folder, progress, memory_bytes=memory_bytes)
        shift.work(is_over=lambda: self._stopping)

    def stop(self) -> None:
        """Request the end of the workers."""
        self._stopping = True

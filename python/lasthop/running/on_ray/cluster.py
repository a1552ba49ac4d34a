"""Connects to a Ray cluster or starts one on this machine."""

import logging
import os
import secrets
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, UsageError, one_line
from lasthop.running.memory import estimate_memory, written
from lasthop.running.on_ray.address import RayAddress
from lasthop.running.on_ray.worker import worker_class
from lasthop.running.processors import available_processors

if TYPE_CHECKING:
    from lasthop.running.plan import Plan

_LOOK_AGAIN_S = 10.0
"""Seconds between checks whether the cluster has grown."""

_ALIVE_S = 2.0
"""Seconds between checks whether this node's Ray agent is alive."""

_BUSY_HEAD_PAUSES_S = (1.0, 4.0, 16.0)
"""Seconds to wait before each new attempt to connect to a busy head node."""


class Cluster:
    """A Ray cluster on which workers are started.

    Attributes
    ----------
    ray
        The package, and with it the one connection that a process can have.
    """

    def __init__(self, address: RayAddress, *, jobs: int | None) -> None:
        self._address = address
        self._existing = os.environ.get("RAY_ADDRESS") if address.host is None else str(address)
        self.ray = _package(secret=self._existing is None)
        self._jobs = jobs
        self._worker_class = worker_class()
        self._known_processors = 1
        self._looked = -_LOOK_AGAIN_S
        self._seen_alive = time.monotonic()
        self._own_folder: str | None = None
        try:
            with self.connection(), _signal_handlers_kept(), self._started():
                self._join()
        except BaseException:
            self.close()
            raise

    def places(self) -> int:
        """Return the number of workers: one for each processor, at most the number of jobs."""
        if time.monotonic() - self._looked > _LOOK_AGAIN_S:
            with self.connection():
                found = self.ray.cluster_resources().get("CPU", 0)
            self._known_processors, self._looked = max(1, int(found)), time.monotonic()
        return min(self._known_processors, self._jobs or self._known_processors)

    def check_node(self) -> None:
        """Check that the Ray agent (raylet) of this machine is alive.

        Nothing else tells: workers that are asked by it, and answers that come by it, never come.

        Raises
        ------
        EnvironmentFailure
            It died.
        """
        if time.monotonic() - self._seen_alive < _ALIVE_S:
            return
        with self.connection():
            here = self.ray.get_runtime_context().get_node_id()
            dead = [node for node in self.ray.nodes() if not node["Alive"]]
        if any(node["NodeID"] == here for node in dead):
            raise EnvironmentFailure(
                f"--on {self._address}: Ray's agent on this machine (raylet) has "
                "died; run the same command again to continue, finished runs are "
                "kept"
            )
        self._seen_alive = time.monotonic()

    def check_memory(self, plan: "Plan") -> int:
        """Check that a machine has enough memory, and return the largest run's peak in bytes.

        Raises
        ------
        UsageError
            No machine of the cluster has as much.
        """
        estimate = estimate_memory(plan, jobs=1, in_files=False)
        with self.connection():
            nodes = [node for node in self.ray.nodes() if node["Alive"]]
        most = max((int(node["Resources"].get("memory", 0)) for node in nodes), default=0)
        if estimate.run_bytes > most > 0:
            raise UsageError(
                f"a run of {estimate.load.messages:,} messages needs about "
                f"{written(estimate.run_bytes)} of memory, but the largest machine "
                f"of the cluster has {written(most)} for its workers; write a "
                "longer traffic.every, a shorter duration or fewer devices"
            )
        return estimate.run_bytes

    def hire(self, *, memory_bytes: int) -> Any:  # noqa: ANN401  (Ray makes the class)
        """Request a worker, which starts when a processor and the memory are free.

        On this machine it writes below the folder that goes at the end, however the worker ends.
        """
        remote = self.ray.remote(
            num_cpus=1, memory=memory_bytes, max_restarts=0, max_task_retries=0
        )
        with self.connection():
            return remote(self._worker_class).remote(self._own_folder)

    def dismiss(self, worker: Any) -> None:  # noqa: ANN401
        """End a worker immediately."""
        with suppress(Exception):  # it is gone, or the cluster is
            self.ray.kill(worker)

    def close(self) -> None:
        """Disconnect from the cluster. A cluster on this machine is ended."""
        with suppress(Exception), _signal_handlers_kept():
            self.ray.shutdown()
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Convert connection errors of the cluster to one-line errors."""
        try:
            yield
        except (self.ray.exceptions.RayError, UsageError):
            raise
        except (ConnectionError, RuntimeError, OSError, ValueError) as error:
            message = f"--on {self._address}: {_first_and_last(error)}"
            hint = (
                "check that the cluster is running, and that RAY_AUTH_MODE and "
                "its token are the same on both sides"
            )
            raise EnvironmentFailure(f"{message}; {hint}") from error

    @contextmanager
    def _started(self) -> Iterator[None]:
        """Convert Ray's start-up errors, which have no class of their own, to one line."""
        try:
            yield
        except Exception as error:
            if type(error) is not Exception:
                raise
            message = f"--on {self._address}: {_first_and_last(error)}"
            hint = "run the same command again, with fewer --jobs on a busy machine"
            raise EnvironmentFailure(f"{message}; {hint}") from error

    def _join(self) -> None:
        quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        with warnings.catch_warnings(action="ignore"):
            if self._existing is not None:
                self._join_existing(self._existing, quiet)
                return
            self._own_folder = tempfile.mkdtemp(prefix="lasthop-ray-")
            self.ray.init(
                "local",
                num_cpus=self._jobs or available_processors(),
                include_dashboard=False,
                _temp_dir=self._own_folder,
                **quiet,
            )

    def _join_existing(self, existing: str, quiet: dict[str, Any]) -> None:
        for pause_s in _BUSY_HEAD_PAUSES_S:
            try:
                self.ray.init(existing, **quiet)
            except RuntimeError as error:
                if "mismatch" in str(error):  # of Ray's or Python's version
                    raise
                # The head starts a process for whoever comes, and gives up early where it is busy.
                self.ray.shutdown()
                time.sleep(pause_s)
            else:
                return
        self.ray.init(existing, **quiet)


def _package(*, secret: bool) -> Any:  # noqa: ANN401  (a module)
    """Import Ray. With `secret`, its workers accept work from this process alone."""
    # What is run is nobody's business; Ray tells its makers unless told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Answers of a worker that has died are of no interest.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    if secret and "RAY_AUTH_MODE" not in os.environ:
        # It is read at the import. Without it Ray leaves one in the home of the user.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        import ray  # noqa: PLC0415  (heavy, and of those who ask for it)
    except ImportError as error:
        message = f"--on ray: the package ray cannot be imported ({error})"
        raise EnvironmentFailure(f'{message}; run pip install "lasthop[ray]"') from error
    return ray


def _first_and_last(error: Exception) -> str:
    """Return the first and the last line of an error, because Ray explains it in the last."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return one_line(" ".join(dict.fromkeys([*lines[:1], *lines[-1:]])) or type(error).__name__)


@contextmanager
def _signal_handlers_kept() -> Iterator[None]:
    """Restore the handlers of SIGINT and SIGTERM, which Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

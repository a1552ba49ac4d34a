"""Runs the programs of a real-software server: its own and a proxy before it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from lasthop.adapters import ServerProcess
from lasthop.results.atomic import environment

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from lasthop.adapters import Usage
    from lasthop.running.live_software import LiveProgram, LiveServer
    from lasthop.testbed import Namespace

ProgramRow: TypeAlias = dict[str, Any]
"""A row of the `programs` table."""


class Serving:
    """The running programs of a server during a context.

    Parameters
    ----------
    namespace
        In which its programs live.
    logs
        The folder of what they print.
    """

    def __init__(
        self, server: LiveServer, *, run_id: str, namespace: Namespace, logs: Path
    ) -> None:
        self._server, self._run_id = server, run_id
        self._namespace, self._logs = namespace, logs
        self._running: list[tuple[LiveProgram, ServerProcess]] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start the programs, the innermost first, and wait until each listens.

        Raises
        ------
        EnvironmentFailure
            One dies or never listens, or there is no room for its log.
        """
        with environment(self._logs):
            self._logs.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            for program in reversed(self._server.programs):
                process = ServerProcess(
                    program.adapter,
                    program.program,
                    program.offer,
                    namespace=self._namespace,
                    log=self._logs / f"{self._log_of(program)}.log",
                )
                self._running.append((program, stack.enter_context(process)))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the programs."""
        self._stack.close()

    @property
    def name(self) -> str:
        """Return the name of the server in the run."""
        return self._server.name

    @property
    def may_crash(self) -> bool:
        """Return whether the server is a constrained device, which may crash."""
        return self._server.offer.device is not None

    def output_lines(self) -> list[list[str]]:
        """Return the output lines of the program that clients meet, split into words."""
        _, process = self._running[-1]
        return [line.split() for line in process.output_lines() if line.strip()]

    def check(self) -> None:
        """Check that all programs are still running.

        Raises
        ------
        EnvironmentFailure
            One has died.
        """
        for _, process in self._running:
            process.check()

    def rows(self) -> list[ProgramRow]:
        """Return the resource usage of each program since it was ready.

        Raises
        ------
        EnvironmentFailure
            One has died.
        """
        return [
            {
                "server": self._server.name,
                "software": program.software,
                "version": program.version,
                **row_of(process.usage()),
            }
            for program, process in reversed(self._running)
        ]

    def _log_of(self, program: LiveProgram) -> str:
        name = f"{self._run_id}-{self._server.name}"
        return name if program.offer.behind is None else f"{name}-{program.software}"


def row_of(used: Usage) -> ProgramRow:
    """Return the resource usage of a program as columns."""
    return {
        "cpu_s": used.cpu_s,
        "run_queue_wait_s": used.waited_s,
        "memory_peak_bytes": used.memory_peak_bytes,
        "voluntary_switches": used.voluntary_switches,
        "involuntary_switches": used.involuntary_switches,
    }

"""Starts a program of a run in a namespace, monitors it and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.adapters.priority import come_first
from lasthop.adapters.usage import Usage
from lasthop.errors import EnvironmentFailure
from lasthop.testbed import end

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from lasthop.adapters.software import Software
    from lasthop.testbed import Namespace

_LINES_OF_LOG = 5


class RunningProgram:
    """A program that runs during a context. Its log is kept.

    Parameters
    ----------
    software
        Adapter of the software.
    program
        Path of the program, which may be another build than the adapter finds.
    namespace
        Network namespace of the program.
    log
        File for the program's output and errors.
    """

    def __init__(
        self, software: Software, program: Path, *, namespace: Namespace, log: Path
    ) -> None:
        self._program, self._namespace, self._log = program, namespace, log
        self._process: subprocess.Popen[str] | None = None
        self._before = Usage()
        self._what = f"{getattr(software, 'called', software.name)} ({program})"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the program."""
        if self._process is not None:
            end(self._process)

    def usage(self) -> Usage:
        """Return the program's resource usage since it became ready.

        Raises
        ------
        EnvironmentFailure
            It has died.
        """
        used = Usage.of(self._started().pid).since(self._before)
        self.check()
        return used

    def check(self) -> None:
        """Check that the program is still running.

        Raises
        ------
        EnvironmentFailure
            It has died.
        """
        if (status := self._started().poll()) is not None:
            how = f"signal {-status}" if status < 0 else f"exit {status}"
            raise self._failed(f"died ({how})")

    def _start(self, command: Sequence[str], **streams: Any) -> None:  # noqa: ANN401  as Popen has
        self._process = self._namespace.start(*command, **streams)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise ValueError("it is not started")
        return self._process

    def _is_ready(self) -> None:
        """Start counting resource usage, and raise the program's priority.

        What it would wait for a processor because of others is none of its own; what it does before
        it is ready, which may be much, is not to keep others waiting.
        """
        process = self._started().pid
        come_first(process)
        self._before = Usage.of(process)

    def _failed(self, what: str) -> EnvironmentFailure:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()][-_LINES_OF_LOG:]
        # No word of where the log is: without a finished run the folder of results goes, and it.
        log = " | ".join(said) or "nothing"
        return EnvironmentFailure(f"{self._what} {what}; its log ends: {log}")

"""Runs the program of a real-software device in a namespace and reads its output."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Self

from lasthop.adapters.running_program import RunningProgram

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from lasthop.adapters.client import Client, Errand
    from lasthop.testbed import Namespace

_LOOK_AGAIN_S = 0.01


class ClientProcess(RunningProgram):
    """The process of a real-software device during a context.

    Parameters
    ----------
    client
        Adapter that starts the program.
    errand
        Task of the device.
    program, namespace, log
        Path of the program, its network namespace and its log file.
    told
        File for the program's reports on messages.
    """

    def __init__(  # noqa: PLR0913  (each is one thing of its own)
        self,
        client: Client,
        program: Path,
        errand: Errand,
        *,
        namespace: Namespace,
        told: Path,
        log: Path,
    ) -> None:
        super().__init__(client, program, namespace=namespace, log=log)
        self.errand = errand
        self._client, self._told = client, told

    def __enter__(self) -> Self:
        """Start the program and send it its errand. It begins to connect."""
        command = self._client.command(self._program)
        with self._told.open("wb") as told, self._log.open("wb") as log:
            inherited = () if self.errand.descriptor is None else (self.errand.descriptor,)
            self._start(command, stdin=subprocess.PIPE, stdout=told, stderr=log, pass_fds=inherited)
        self._say(json.dumps(asdict(self.errand)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the input of the program, then end the program."""
        if self._process is not None:
            self._input().close()
        super().__exit__(kind, error, trace)

    def is_ready(self, until: float) -> bool:
        """Return whether the device got its session and subscriptions before a deadline.

        Raises
        ------
        EnvironmentFailure
            It dies.
        """
        while "ready" not in self._told.read_text(encoding="utf-8").split("\n"):
            self.check()
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_AGAIN_S)
        self._is_ready()
        return True

    def begin(self, at_ns: int) -> None:
        """Send the start time of the run (monotonic clock, ns) to the program."""
        self._say(str(at_ns))

    def output_lines(self) -> Iterator[list[str]]:
        """Yield the complete lines that the device has printed, each as a list of words."""
        whole, _, _ = self._told.read_text(encoding="utf-8").rpartition("\n")
        for line in whole.split("\n"):
            if line and line != "ready":
                yield line.split()

    def _say(self, line: str) -> None:
        try:
            self._input().write(f"{line}\n")
            self._input().flush()
        except BrokenPipeError:
            self.check()
            raise

    def _input(self) -> IO[str]:
        stream = self._started().stdin
        if stream is None:
            raise ValueError("it takes no input")
        return stream

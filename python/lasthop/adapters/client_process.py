"""A program that is a device of a run: started in a namespace, awaited, heard, ended."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Self

from lasthop.adapters.priority import come_first
from lasthop.adapters.usage import Usage
from lasthop.errors import EnvironmentFailure
from lasthop.testbed import end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from lasthop.adapters.client import Client, Errand
    from lasthop.testbed import Namespace

_LOOK_AGAIN_S = 0.01
_LINES_OF_LOG = 5


class ClientProcess:
    """A device that runs as long as the context; its log stays.

    Parameters
    ----------
    client
        How it is started.
    program
        The program.
    errand
        What it is to do.
    namespace
        In which it lives.
    told
        Where what it tells of its messages goes.
    log
        Where what it complains of goes.
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
        self.errand = errand
        self._client, self._program = client, program
        self._namespace, self._told, self._log = namespace, told, log
        self._process: subprocess.Popen[str] | None = None
        self._before = Usage()

    def __enter__(self) -> Self:
        """Start it with its errand; it begins to connect."""
        with self._told.open("wb") as told, self._log.open("wb") as log:
            self._process = self._namespace.start(
                *self._client.command(self._program), stdin=subprocess.PIPE, stdout=told, stderr=log
            )
        self._say(json.dumps(asdict(self.errand)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._process is not None:
            self._input().close()
            end(self._process)

    def is_ready(self, until: float) -> bool:
        """Wait until it has its session and subscriptions; tell whether it got them by then.

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
        if self._process is not None:
            come_first(self._process.pid)
            self._before = Usage.of(self._process.pid)
        return True

    def begin(self, at_ns: int) -> None:
        """Say at which instant of the monotonic clock the time of the run is zero."""
        self._say(str(at_ns))

    def usage(self) -> Usage:
        """Give what it took since it was ready.

        Raises
        ------
        EnvironmentFailure
            It has died.
        """
        if self._process is None:
            return Usage()
        used = Usage.of(self._process.pid).since(self._before)
        self.check()
        return used

    def told(self) -> Iterator[list[str]]:
        """Give what it told of messages, the words of a line at a time; no line that is cut off."""
        whole, _, _ = self._told.read_text(encoding="utf-8").rpartition("\n")
        for line in whole.split("\n"):
            if line and line != "ready":
                yield line.split()

    def check(self) -> None:
        """Look whether it still runs.

        Raises
        ------
        EnvironmentFailure
            It has died.
        """
        if self._process is None or (status := self._process.poll()) is None:
            return
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()][-_LINES_OF_LOG:]
        how = f"signal {-status}" if status < 0 else f"exit {status}"
        what = f"{self._client.name} ({self._program}) died ({how})"
        raise EnvironmentFailure(f"{what}; its log ends: {' | '.join(said) or 'nothing'}")

    def _say(self, line: str) -> None:
        try:
            self._input().write(f"{line}\n")
            self._input().flush()
        except BrokenPipeError:
            self.check()
            raise

    def _input(self) -> IO[str]:
        if self._process is None or self._process.stdin is None:
            raise ValueError("it is not started")
        return self._process.stdin

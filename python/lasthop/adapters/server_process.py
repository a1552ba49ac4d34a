"""A program that serves a run: started in a namespace, awaited, looked after, ended."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lasthop.adapters.priority import come_first
from lasthop.adapters.usage import Usage
from lasthop.errors import EnvironmentFailure
from lasthop.testbed import end

if TYPE_CHECKING:
    from types import TracebackType

    from lasthop.adapters.adapter import Adapter, Offer
    from lasthop.testbed import Namespace

_LOOK_AGAIN_S = 0.01
_LINES_OF_LOG = 5
_LISTENING = "0A"  # TCP_LISTEN of include/net/tcp_states.h


class ServerProcess:
    """A server that runs as long as the context; its log stays.

    Parameters
    ----------
    adapter
        How it is started.
    program
        The program, which may be another build than the adapter finds.
    offer
        Where it listens, for what.
    namespace
        In which it lives.
    log
        Where what it prints goes.
    """

    def __init__(
        self, adapter: Adapter, program: Path, offer: Offer, *, namespace: Namespace, log: Path
    ) -> None:
        self._adapter, self._program, self._offer = adapter, program, offer
        self._namespace, self._log = namespace, log
        self._process: subprocess.Popen[str] | None = None
        self._before = Usage()
        self._what = f"{getattr(adapter, 'called', adapter.name)} ({program})"

    def __enter__(self) -> Self:
        """Start it, and wait until it listens.

        Raises
        ------
        EnvironmentFailure
            It dies or never listens; the line has the end of its log.
        """
        command = self._adapter.command(self._program, self._offer)
        with self._log.open("wb") as log:
            self._process = self._namespace.start(
                *command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            self._await()
        except BaseException:
            end(self._process)
            raise
        # What it would wait for a processor because of others is none of its own; what it does
        # before it is ready, which may be much, is not to keep others waiting.
        come_first(self._process.pid)
        self._before = Usage.of(self._process.pid)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._process is not None:
            end(self._process)

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

    def check(self) -> None:
        """Look whether it still runs.

        Raises
        ------
        EnvironmentFailure
            It has died.
        """
        if self._process is not None and (status := self._process.poll()) is not None:
            raise self._failed(f"died ({_status(status)})")

    def _await(self) -> None:
        until = time.monotonic() + self._adapter.ready_s
        while not self._listens():
            self.check()
            if time.monotonic() > until:
                where = f"{self._offer.transport} port {self._offer.port}"
                raise self._failed(f"does not listen at {where} after {self._adapter.ready_s:g} s")
            time.sleep(_LOOK_AGAIN_S)
        self.check()

    def _listens(self) -> bool:
        """Look into the tables of its namespace: to ask it would be traffic."""
        if self._process is None:
            return False
        transport, port = self._offer.transport, f"{self._offer.port:04X}"
        for table in (transport, f"{transport}6"):
            file = Path("/proc", str(self._process.pid), "net", table)
            try:
                rows = [row.split() for row in file.read_text().splitlines()[1:]]
            except OSError:
                continue
            for row in rows:
                is_here = row[1].rpartition(":")[2] == port
                if is_here and (transport == "udp" or row[3] == _LISTENING):
                    return True
        return False

    def _failed(self, what: str) -> EnvironmentFailure:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()][-_LINES_OF_LOG:]
        # No word of where the log is: without a finished run the folder of results goes, and it.
        log = " | ".join(said) or "nothing"
        return EnvironmentFailure(f"{self._what} {what}; its log ends: {log}")


def _status(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit {status}"

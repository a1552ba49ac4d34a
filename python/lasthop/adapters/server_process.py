"""Starts a server program in a namespace and waits until it listens."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lasthop.adapters.running_program import RunningProgram
from lasthop.testbed import end

if TYPE_CHECKING:
    from lasthop.adapters.adapter import Adapter, Offer
    from lasthop.testbed import Namespace

_LOOK_AGAIN_S = 0.01
_LISTENING = "0A"  # TCP_LISTEN of include/net/tcp_states.h


class ServerProcess(RunningProgram):
    """A server program that runs during a context.

    Parameters
    ----------
    adapter
        Adapter that starts the server.
    program, namespace, log
        Path of the program, its network namespace and its log file.
    offer
        Service that the server must offer.
    """

    def __init__(
        self, adapter: Adapter, program: Path, offer: Offer, *, namespace: Namespace, log: Path
    ) -> None:
        super().__init__(adapter, program, namespace=namespace, log=log)
        self._adapter, self._offer = adapter, offer

    def __enter__(self) -> Self:
        """Start the server and wait until it listens.

        Raises
        ------
        EnvironmentFailure
            It dies or never listens; the line has the end of its log.
        """
        command = self._adapter.command(self._program, self._offer)
        inherited = () if self._offer.descriptor is None else (self._offer.descriptor,)
        with self._log.open("wb") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            self._start(command, **streams, pass_fds=inherited)
        try:
            self._await()
        except BaseException:
            end(self._started())
            raise
        self._is_ready()
        return self

    def _await(self) -> None:
        until = time.monotonic() + self._adapter.ready_s
        while not self._listens():
            self.check()
            if time.monotonic() > until:
                where = f"{self._offer.transport} port {self._offer.port}"
                raise self._failed(f"does not listen at {where} after {self._adapter.ready_s:g} s")
            time.sleep(_LOOK_AGAIN_S)
        self.check()

    def output_lines(self) -> list[str]:
        """Return the complete lines of its output."""
        whole, _, _ = self._log.read_text(encoding="utf-8", errors="replace").rpartition("\n")
        return whole.split("\n")

    def _listens(self) -> bool:
        """Return whether the server listens, from its output or its namespace's socket tables."""
        if (found := self._adapter.listens(self.output_lines())) is not None:
            return found
        transport, port = self._offer.transport, f"{self._offer.port:04X}"
        for table in (transport, f"{transport}6"):
            file = Path("/proc", str(self._started().pid), "net", table)
            try:
                rows = [row.split() for row in file.read_text().splitlines()[1:]]
            except OSError:
                continue
            for row in rows:
                is_here = row[1].rpartition(":")[2] == port
                if is_here and (transport == "udp" or row[3] == _LISTENING):
                    return True
        return False

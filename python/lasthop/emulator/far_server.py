"""A server at the far end: started first, waited for until it can be reached, ended at last."""

from __future__ import annotations

import contextlib
import ipaddress
import shlex
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.testbed import end, postponed_signals

if TYPE_CHECKING:
    from types import TracebackType

    from lasthop.emulator.laboratory import Laboratory

_LISTENS = 0x0A  # TCP_LISTEN of net/tcp_states.h
_UNCONNECTED = 0x07  # TCP_CLOSE, which an unconnected socket of UDP has
_LAST_LINES = 10
_BETWEEN_LOOKS_S = 0.05


@dataclass(frozen=True, slots=True, order=True)
class Bound:
    """A socket that waits for others."""

    protocol: str
    address: str
    port: int

    @property
    def is_reachable(self) -> bool:
        """Whether hosts other than its own can reach it."""
        return not ipaddress.ip_address(self.address).is_loopback

    def __str__(self) -> str:
        """Write it."""
        return f"{self.protocol} {self.address}:{self.port}"


class FarServer:
    """A server, ready when it is entered: something of it listens where the near end reaches it.

    Parameters
    ----------
    written
        Its command as one text, as a shell would read it; ``{host}`` and ``{host6}`` in it are the
        addresses of the far end.
    patience_s
        How long it may take to be ready.
    """

    def __init__(self, laboratory: Laboratory, written: str, *, patience_s: float) -> None:
        self._laboratory = laboratory
        self._command = _found(laboratory.addressed(_read(written)))
        self._patience_s = patience_s
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed on exit
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start it and wait until it is ready.

        Raises
        ------
        EnvironmentFailure
            If it ends before, or takes too long.
        """
        with contextlib.ExitStack() as stack:
            stack.callback(self._log.close)
            with postponed_signals():
                self._process = subprocess.Popen(
                    self._laboratory.far_command(self._command),
                    env=self._laboratory.environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=self._log,
                    text=True,
                    # Ctrl-C is for the program; the server is ended when that has ended.
                    start_new_session=True,
                )
                stack.callback(end, self._process)
            self._wait(self._process)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self._stack.close()

    def failure_text(self) -> str | None:
        """Describe how the server ended, if it ended before the program did."""
        if self._process is None or (status := self._process.poll()) is None:
            return None
        return f"{self._name} ended {_how(status)} before the program did{self._last_lines()}"

    @property
    def _name(self) -> str:
        return f"--far: {Path(self._command[0]).name}"

    def _wait(self, process: subprocess.Popen[str]) -> None:
        until = time.monotonic() + self._patience_s
        before: set[Bound] = set()
        while time.monotonic() < until:
            if (status := process.poll()) is not None:
                raise EnvironmentFailure(
                    f"{self._name} ended {_how(status)} before it was ready{self._last_lines()}"
                )
            bound = set(self._laboratory.at_far_end().inside(bound_sockets))
            # What opens several ports has opened all of them when nothing is added.
            if bound == before and any(socket.is_reachable for socket in bound):
                return
            before = bound
            time.sleep(_BETWEEN_LOOKS_S)
        waited = f"was not ready after {self._patience_s:g} s"
        if before:
            only = ", ".join(map(str, sorted(before)))
            raise EnvironmentFailure(
                f"{self._name} {waited}: it listens only on {only}, which the link "
                "cannot reach; let it listen on {host} or on all "
                f"addresses{self._last_lines()}"
            )
        raise EnvironmentFailure(
            f"{self._name} {waited}: it does not listen on any port; check its "
            f"command, or write a longer --far-timeout{self._last_lines()}"
        )

    def _last_lines(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
        return f"; it printed: {' | '.join(lines)}" if lines else "; it printed nothing"


def bound_sockets() -> list[Bound]:
    """Give the listening sockets in the network namespace of this thread."""
    found = []
    for protocol, state in (("tcp", _LISTENS), ("udp", _UNCONNECTED)):
        for version in ("", "6"):
            with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6
                file = Path(f"/proc/thread-self/net/{protocol}{version}")
                for line in file.read_text(encoding="ascii").splitlines()[1:]:
                    _, local, _, its_state, *_ = line.split()
                    if int(its_state, 16) == state:
                        address, port = local.split(":")
                        found.append(Bound(protocol, _address(address), int(port, 16)))
    return found


def _address(written: str) -> str:
    """Read an address of /proc/net: words of 32 bits, each in the order of the machine."""
    words = [int(written[at : at + 8], 16) for at in range(0, len(written), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, struct.pack(f"={len(words)}I", *words))


def _read(written: str) -> list[str]:
    try:
        command = shlex.split(written)
    except ValueError as error:
        raise UsageError(f"--far: {error}; close the quotes") from None
    if not command:
        raise UsageError(
            '--far: the command is empty; write for example --far "lasthop serve mqtt"'
        )
    return command


def _found(command: list[str]) -> list[str]:
    if shutil.which(command[0]) is None:
        raise EnvironmentFailure(
            f"--far: there is no program {command[0]}; install it, or write its path"
        )
    return command


def _how(status: int) -> str:
    return f"with status {status}" if status >= 0 else f"by signal {-status}"

"""Network namespaces and the processes in them."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lasthop.testbed.entering import inside
from lasthop.testbed.tun import Tun

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_T = TypeVar("_T")

_FOLDER = Path("/run/netns")
_NUMBERS = itertools.count()
_SECONDS_TO_END = 5.0


def what_is_missing() -> str | None:
    """Say in a few words what stands in the way of namespaces here, if anything does."""
    if os.name != "posix" or not Path("/proc/self/ns/net").exists():
        return "Linux"
    if os.geteuid() != 0:
        return "root"
    if shutil.which("ip") is None:
        return "ip (apt-get install iproute2)"
    if not Path("/dev/net/tun").exists():
        return "/dev/net/tun"
    return None


class Namespace:
    """A network namespace of this process: made on entry, removed on exit with all that ran in it.

    Attributes
    ----------
    name
        Its name to ``ip netns``.
    """

    def __init__(self) -> None:
        self.name = f"lasthop-{os.getpid()}-{next(_NUMBERS)}"
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Make the namespace.

        Raises
        ------
        subprocess.CalledProcessError
            If the kernel refuses.
        """
        _ip("netns", "add", self.name)
        self._stack.callback(_ip, "netns", "delete", self.name)
        # Or router solicitations join the packets that are measured.
        self.set("net.ipv6.conf.all.disable_ipv6", 1)
        self.set("net.ipv6.conf.default.disable_ipv6", 1)
        _ip("-n", self.name, "link", "set", "lo", "up")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what runs in it and remove it."""
        self._stack.close()

    def set(self, key: str, value: int | str) -> None:
        """Set a kernel parameter (sysctl) of the namespace."""
        path = Path("/proc/sys", *key.split("."))
        self.run("sh", "-c", f'printf %s "$1" > {path}', "set", str(value))

    def tun(self, name: str, address: str) -> Tun:
        """Open a TUN device with an address, say ``10.77.0.1/24``: that net lies behind it."""
        device = self._stack.enter_context(Tun.open_in(_FOLDER / self.name, name))
        _ip("-n", self.name, "address", "add", address, "dev", name)
        _ip("-n", self.name, "link", "set", name, "up")
        return device

    def inside(self, work: Callable[[], _T]) -> _T:
        """Do something in the namespace, such as opening a socket, which then belongs to it."""
        return inside(_FOLDER / self.name, work)

    def run(self, *command: str | Path, timeout: float = 60.0) -> str:
        """Run a program in the namespace and return what it printed.

        Raises
        ------
        subprocess.CalledProcessError
            If it fails.
        """
        done = subprocess.run(
            self._inside(command), check=True, capture_output=True, text=True, timeout=timeout
        )
        return done.stdout

    def start(self, *command: str | Path, **options: Any) -> subprocess.Popen[str]:  # noqa: ANN401  as Popen
        """Start a program in the namespace; it is ended with it.

        Parameters
        ----------
        command
            The program and its arguments.
        options
            What ``subprocess.Popen`` takes.
        """
        process = subprocess.Popen(self._inside(command), text=True, **options)
        self._stack.callback(end, process)
        return process

    def counters(self) -> dict[str, int]:
        """Return what the kernel counted in the namespace, such as ``Tcp.InCsumErrors``."""
        lines = self.run("cat", "/proc/net/snmp", "/proc/net/netstat").splitlines()
        counted: dict[str, int] = {}
        for names, values in zip(lines[::2], lines[1::2], strict=True):
            group, *keys = names.split()
            for key, value in zip(keys, values.split()[1:], strict=True):
                counted[f"{group.removesuffix(':')}.{key}"] = int(value)
        return counted

    def _inside(self, command: tuple[str | Path, ...]) -> list[str]:
        return ["ip", "netns", "exec", self.name, *map(str, command)]


def end(process: subprocess.Popen[str]) -> None:
    """End a process that we started, if it still runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)

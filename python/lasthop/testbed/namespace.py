"""Network namespaces and the processes in them, as root or within a user namespace."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lasthop.errors import EnvironmentFailure
from lasthop.testbed.entering import inside, new_network
from lasthop.testbed.postponed import postponed_signals
from lasthop.testbed.processes import end_processes, processes_in
from lasthop.testbed.tag import VARIABLE, Tag
from lasthop.testbed.tun import Tun
from lasthop.testbed.veth import STATION, PacketSocket, switch_offloads_off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

_T = TypeVar("_T")

FOLDER = Path("/run/netns")
"""Folder of the named network namespaces."""

_NAME = re.compile(r"(lasthop-[0-9]+-[0-9]+)-[0-9]+")
_NUMBERS = itertools.count()
_SECONDS_TO_END = 5.0


def owner_of(name: str) -> Tag | None:
    """Return the process that made a namespace; None if it was not lasthop."""
    found = _NAME.fullmatch(name)
    return Tag.read(found[1]) if found else None


def missing_requirement() -> str | None:
    """Describe briefly why namespaces are not possible here; None if they are."""
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

    As root it has a name; within a user namespace (`enter_user_namespace`) it has none, and is gone
    with the last process that uses it. IPv6 is off, and no connection hands on to the next one what
    it learnt of the path.

    Attributes
    ----------
    name
        Its name to ``ip netns``, which says whose it is.
    file
        Of the namespace, once it is made.
    """

    def __init__(self) -> None:
        self.name = f"{Tag.own()}-{next(_NUMBERS)}"
        self.file = FOLDER / self.name
        self._has_name = os.geteuid() == 0
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Make the namespace.

        Raises
        ------
        EnvironmentFailure
            If the kernel refuses.
        """
        with contextlib.ExitStack() as stack:
            self._make(stack)
            stack.callback(self._end_processes)
            # Or router solicitations join the packets that are measured.
            self.set("net.ipv6.conf.all.disable_ipv6", 1)
            self.set("net.ipv6.conf.default.disable_ipv6", 1)
            self.set("net.ipv4.tcp_no_metrics_save", 1)
            self.ip("link", "set", "lo", "up")
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End its processes and remove it."""
        self._stack.close()

    def set(self, key: str, value: int | str) -> None:
        """Set a kernel parameter (sysctl) of the namespace."""
        path = Path("/proc/sys", *key.split("."))
        self.inside(lambda: path.write_text(str(value), encoding="ascii"))

    def ip(self, *arguments: str) -> None:
        """Run ``ip`` in the namespace.

        Raises
        ------
        EnvironmentFailure
            If it cannot.
        """
        _ip(*(["-n", self.name] if self._has_name else []), *arguments, before=self._enter())

    def tun(self, name: str, address: str) -> Tun:
        """Open a TUN device with an address, say ``10.77.0.1/24``: that net lies behind it."""
        device = self._stack.enter_context(Tun.open_in(self.file, name))
        self.ip("address", "add", address, "dev", name)
        self.ip("link", "set", name, "up")
        return device

    def veth(self, name: str, address: str, *, outer: Namespace) -> PacketSocket:
        """Open a pair of Ethernet devices: one here with an address, the other in ``outer``, ours.

        That net lies behind it. Nobody asks for addresses by ARP there, and offloads are off at
        both ends.
        """
        middle = f"{name}{next(_NUMBERS)}"
        pair = ("link", "add", name, "type", "veth", "peer", "name", middle)
        self.ip(*pair, "netns", str(outer.file))
        outer.ip("link", "set", middle, "arp", "off", "up")
        self.ip("link", "set", name, "address", STATION, "arp", "off", "up")
        self.ip("address", "add", address, "dev", name)
        self.inside(lambda: switch_offloads_off(name))
        made = PacketSocket.open_in(outer.file, middle)
        return self._stack.enter_context(made)

    def inside(self, work: Callable[[], _T]) -> _T:
        """Do something in the namespace, such as opening a socket, which then belongs to it."""
        return inside(self.file, work)

    def run(self, *command: str | Path, timeout: float = 60.0) -> str:
        """Run a program in the namespace and return its output.

        Raises
        ------
        subprocess.CalledProcessError
            If it fails.
        """
        done = subprocess.run(
            self.command(*command),
            check=True,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=environment(),
        )
        return done.stdout

    def start(self, *command: str | Path, **options: Any) -> subprocess.Popen[str]:  # noqa: ANN401  as Popen
        """Start a program in the namespace. It ends with the namespace.

        Parameters
        ----------
        command
            The program and its arguments.
        options
            What ``subprocess.Popen`` takes.
        """
        options["env"] = environment(options.get("env"))
        with postponed_signals():
            process = subprocess.Popen(self.command(*command), text=True, **options)
            self._stack.callback(end, process)
        return process

    def counters(self) -> dict[str, int]:
        """Return kernel counters of the namespace, such as ``Tcp.InCsumErrors``."""
        lines = self.run("cat", "/proc/net/snmp", "/proc/net/netstat").splitlines()
        counted: dict[str, int] = {}
        for names, values in zip(lines[::2], lines[1::2], strict=True):
            group, *keys = names.split()
            for key, value in zip(keys, values.split()[1:], strict=True):
                counted[f"{group.removesuffix(':')}.{key}"] = int(value)
        return counted

    def command(self, *command: str | Path) -> list[str]:
        """Give the command that runs another one in the namespace, as the same process."""
        if self._has_name:
            return ["ip", "netns", "exec", self.name, *map(str, command)]
        # The program is to be as it is without a namespace: without capabilities.
        return [*self._enter(), "setpriv", "--inh-caps=-all", "--", *map(str, command)]

    def _enter(self) -> list[str]:
        return [] if self._has_name else ["nsenter", f"--net={self.file}", "--"]

    def _make(self, stack: contextlib.ExitStack) -> None:
        if self._has_name:
            with postponed_signals():
                _ip("netns", "add", self.name)
                stack.callback(_ip, "netns", "delete", self.name)
            return
        try:
            descriptor = new_network()
        except OSError as error:
            raise EnvironmentFailure(
                f"a network namespace cannot be created: {error}; run the command with sudo"
            ) from error
        stack.callback(os.close, descriptor)
        self.file = Path(f"/proc/{os.getpid()}/fd/{descriptor}")

    def _end_processes(self) -> None:
        end_processes(processes_in(self.file))


def environment(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give the environment of a program that this process starts in a namespace."""
    return {**(os.environ if given is None else given), VARIABLE: str(Tag.own())}


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


def _ip(*arguments: str, before: Sequence[str] = ()) -> None:
    command = [*before, "ip", *arguments]
    with postponed_signals():
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip() or f"exit {done.returncode}"
        raise EnvironmentFailure(f"ip {' '.join(arguments)}: {said}")

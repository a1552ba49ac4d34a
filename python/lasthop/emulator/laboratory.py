"""Two network namespaces, and between them the emulated path and nothing else."""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lasthop._native import CaptureError, SpecError
from lasthop.emulator.summary import Summary
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.testbed import (
    Emulation,
    Namespace,
    PacketSocket,
    enter_user_namespace,
    why_no_networks,
)
from lasthop.testbed.namespace import environment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from lasthop.emulator.settings import LinkSettings

NEAR, FAR = "10.77.0.1", "10.77.0.2"
NEAR_IPV6, FAR_IPV6 = "fd77::1", "fd77::2"
"""The addresses of both ends."""

_TRANSLATED = {"ipv4": "10.77.0.3", "ipv6": "fd77::3"}
"""What the far end sees of who is behind a NAT: an address that lies behind the link, too."""

_PREFIX = 24
_PREFIX_IPV6 = 64
_IPV6_MTU_BYTES = 1_280
"""What a link must carry for IPv6 (RFC 8200 section 5)."""
_NEIGHBOURS = "10.77.0.0/24"
_MULTICAST = "224.0.0.0/4"
_DEVICE = "link0"
_TUN = "/dev/net/tun"

_NO_OTHER_ADDRESS = 1  # IN6_ADDR_GEN_MODE_NONE
_PLACE = re.compile(r"\{host6?\}")

_STILL_SENDING = (0x04, 0x09, 0x0B)  # TCP_FIN_WAIT1, TCP_LAST_ACK, TCP_CLOSING
_LONGEST_DRAIN_S = 10.0
_BETWEEN_LOOKS_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Options of a link beside its path.

    Attributes
    ----------
    captures
        The folder of ``near.pcapng`` and ``far.pcapng``.
    congestion
        The congestion control of TCP at both ends; that of the machine without it.
    port
        An interface of this machine whose cable leads to the near end, in place of a program.
    late_limit_ns
        How late 99 of 100 packets may be; each may be ten times as late.
    """

    captures: Path | None = None
    congestion: str | None = None
    port: str | None = None
    late_limit_ns: int


@dataclass(slots=True)
class Laboratory:
    """Both ends of a path, joined while it is entered. Without root it uses a user namespace."""

    settings: LinkSettings
    wishes: Wishes
    summary: Summary | None = field(default=None, init=False)
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack, init=False)
    _near: Namespace | None = field(default=None, init=False)
    _far: Namespace = field(init=False)
    _emulation: Emulation = field(init=False)

    host, host_ipv6 = FAR, FAR_IPV6
    """The addresses of the far end."""

    def __enter__(self) -> Self:
        """Make the ends and join them.

        Raises
        ------
        EnvironmentFailure
            If the machine does not allow it.
        UsageError
            If the path, the port or the captures cannot be.
        """
        self._go_where_networks_are()
        with contextlib.ExitStack() as stack:
            near, far = self._ends(stack)
            try:
                self._emulation = stack.enter_context(Emulation(self._spec(), near, far))
            except CaptureError as error:
                raise EnvironmentFailure(f"--capture: {error}") from error
            except SpecError as error:
                raise UsageError(f"the link cannot be created: {error}") from error
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the programs at both ends, and keep the counters of the link."""
        with self._stack:
            self.summary = Summary(self._emulation.stop(), self.settings)

    def addressed(self, command: Iterable[str]) -> list[str]:
        """Write the addresses of the far end into a command."""
        places = {"{host}": self.host, "{host6}": self.host_ipv6}
        return [_PLACE.sub(lambda place: places[place[0]], word) for word in command]

    def near_command(self, command: list[str]) -> list[str]:
        """Give the command that runs a program at the near end, or where the port is at the far."""
        end = self._far if self._near is None else self._near
        return end.command(*_WITH_US, *command)

    def far_command(self, command: list[str]) -> list[str]:
        """Give the command that runs a server at the far end."""
        return self._far.command(*_WITH_US, *command)

    def at_far_end(self) -> Namespace:
        """Give the namespace of the far end."""
        return self._far

    def drain(self) -> None:
        """Keep the link running until connections of an ended program have closed.

        That is until the other end has taken it, but 10 s at most.
        """
        end = self._far if self._near is None else self._near
        until = time.monotonic() + _LONGEST_DRAIN_S
        while time.monotonic() < until and end.inside(_has_unsaid):
            time.sleep(_BETWEEN_LOOKS_S)

    def environment(self) -> dict[str, str]:
        """Give the environment of the programs at both ends."""
        return {**environment(), "LASTHOP_HOST": self.host, "LASTHOP_HOST6": self.host_ipv6}

    def _go_where_networks_are(self) -> None:
        if os.geteuid() == 0:
            if (missing := why_no_networks()) is not None:
                raise EnvironmentFailure(missing)
            return
        if self.wishes.port is not None:
            raise EnvironmentFailure(
                f"--port {self.wishes.port}: it needs root; run the command with sudo"
            )
        if (missing := why_no_networks()) is not None:
            raise EnvironmentFailure(missing)
        enter_user_namespace()

    def _ends(self, stack: contextlib.ExitStack) -> tuple[int, int]:
        """Make both ends, and give the descriptors by which their packets come and go."""
        self._far = stack.enter_context(Namespace())
        middle = None
        if not os.access(_TUN, os.R_OK | os.W_OK):
            middle = stack.enter_context(Namespace())
        far = self._device(self._far, (FAR, FAR_IPV6), middle)
        if self.wishes.port is not None:
            return self._port(stack, self.wishes.port), far
        self._near = stack.enter_context(Namespace())
        return self._device(self._near, (NEAR, NEAR_IPV6), middle), far

    def _port(self, stack: contextlib.ExitStack, port: str) -> int:
        try:
            opened = PacketSocket.open_here(port)
        except OSError as error:
            raise UsageError(
                f'--port {port}: {error.strerror}; write an Ethernet interface that "ip link" shows'
            ) from error
        return stack.enter_context(opened).descriptor

    def _device(self, end: Namespace, addresses: tuple[str, str], middle: Namespace | None) -> int:
        """Give an end its device, and the descriptor of what passes there."""
        address, ipv6 = addresses
        net = f"{address}/{_PREFIX}"
        if middle is None:
            descriptor = end.tun(_DEVICE, net).descriptor
        else:
            descriptor = end.veth(_DEVICE, net, outer=middle).descriptor
        self._set_up(end, address)
        if self.settings.mtu_bytes() >= _IPV6_MTU_BYTES:
            _add_ipv6(end, ipv6)
        return descriptor

    def _set_up(self, end: Namespace, address: str) -> None:
        end.ip("link", "set", _DEVICE, "mtu", str(self.settings.mtu_bytes()))
        end.ip("route", "add", _MULTICAST, "dev", _DEVICE)
        # Without root only one's own group may be named.
        groups = "0 2147483647" if os.geteuid() == 0 else f"{os.getegid()} {os.getegid()}"
        end.set("net.ipv4.ping_group_range", groups)
        if self.wishes.congestion is None:
            return
        route = ("route", "replace", _NEIGHBOURS, "dev", _DEVICE, "src", address)
        try:
            # In a route no list of what is allowed matters (tcp_allowed_congestion_control).
            end.ip(*route, "congctl", self.wishes.congestion)
        except EnvironmentFailure as failure:
            raise UsageError(
                f"--congestion: {failure}; write one of the names in "
                "/proc/sys/net/ipv4/tcp_available_congestion_control"
            ) from failure

    def _spec(self) -> dict[str, Any]:
        folder, limit_ns = self.wishes.captures, self.wishes.late_limit_ns
        spec: dict[str, Any] = {
            "path": {**self.settings.path, "translated": _TRANSLATED},
            "lateness_limit": {"p99_ns": limit_ns, "max_ns": 10 * limit_ns},
        }
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise EnvironmentFailure(
                    f"--capture {folder}: {error.strerror}; choose another folder"
                ) from error
            for end in ("near", "far"):
                spec[f"capture_{end}"] = str((folder / f"{end}.pcapng").absolute())
        return spec


def _add_ipv6(end: Namespace, address: str) -> None:
    """Give an end its other address: nothing of it is on the link that no program sends."""
    device = f"net.ipv6.conf.{_DEVICE}"
    end.set(f"{device}.addr_gen_mode", _NO_OTHER_ADDRESS)
    end.set(f"{device}.router_solicitations", 0)
    end.set(f"{device}.disable_ipv6", 0)
    end.ip("address", "add", f"{address}/{_PREFIX_IPV6}", "dev", _DEVICE, "nodad")


def _has_unsaid() -> bool:
    """Whether the kernel still sends for a socket of this namespace that nobody has any more."""
    tables = [Path("/proc/thread-self/net", name) for name in ("tcp", "tcp6")]
    lines = [line for table in tables for line in table.read_text("ascii").splitlines()[1:]]
    return any(int(line.split()[3], 16) in _STILL_SENDING for line in lines)


_WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")
"""What is started does not outlive this process, even where that is killed."""

"""Plays a script to the kernel: a peer that speaks raw segments over a TUN device, and a socket."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux.scripts.segment import Bases, Segment

from lasthop.testbed import Namespace

if TYPE_CHECKING:
    from benchmarks.tcp_against_linux.scripts.script import Line, Script

    from lasthop.testbed import Tun

KERNEL, PEER = "10.78.0.1", "10.78.0.2"
PORT, PEER_CLIENT_PORT = 1883, 40_000

_SETTLE_S = 0.003
"""How long what the kernel does at once may take, before the next line is played."""

_PATIENCE, _PATIENCE_S = 1.3, 0.1
"""How much later than said something may come and is still waited for."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, and when."""

    at_s: float
    line: str


def play(script: Script) -> list[Event]:
    """Play a script in a namespace of its own, and return what happened."""
    with Namespace() as namespace:
        # As the grid of completion times has it.
        namespace.set("net.ipv4.tcp_no_metrics_save", 1)
        device = namespace.tun("tun0", f"{KERNEL}/24")
        os.set_blocking(device.descriptor, False)
        with contextlib.ExitStack() as stack:
            return _Player(namespace, device, script, stack).play()


@dataclass(slots=True)
class _Player:
    namespace: Namespace
    device: Tun
    script: Script
    stack: contextlib.ExitStack
    bases: Bases = field(default_factory=lambda: Bases((PEER, PEER_CLIENT_PORT), (KERNEL, PORT)))
    listener: socket.socket | None = None
    stream: socket.socket | None = None
    events: list[Event] = field(default_factory=list)
    previous_s: float = 0.0
    unsent: int = 0

    def play(self) -> list[Event]:
        self.previous_s = time.monotonic()
        seen = 0
        for line in self.script.lines:
            due = self.previous_s + line.gap_s
            if line.happens_to_us:
                seen += 1
                limit = self.previous_s + line.gap_s * _PATIENCE + _PATIENCE_S
                while self._outcomes() < seen and time.monotonic() < limit:
                    self._collect(min(limit, time.monotonic() + _SETTLE_S))
                found = [event for event in self.events if event.line[0] in ">="]
                self.previous_s = found[seen - 1].at_s if len(found) >= seen else due
            else:
                self._collect(due)
                self.previous_s = time.monotonic()
                self._note(line.essence())
                self._act(line)
                if line.text != "wait":
                    self._collect(time.monotonic() + _SETTLE_S)
        # A script that ends by waiting says itself for how long.
        if self.script.lines[-1].text != "wait":
            self._collect(time.monotonic() + _PATIENCE_S)
        start = self.events[0].at_s
        return [Event(event.at_s - start, event.line) for event in self.events]

    def _outcomes(self) -> int:
        return sum(event.line[0] in ">=" for event in self.events)

    def _note(self, line: str) -> None:
        self.events.append(Event(time.monotonic(), line))

    def _collect(self, until_s: float) -> None:
        """Note what the kernel sends until then."""
        while True:
            left = until_s - time.monotonic()
            ready, _, _ = select.select([self.device.descriptor], [], [], max(left, 0.0))
            if not ready:
                return
            segment = Segment.read(os.read(self.device.descriptor, 1 << 16), self.bases)
            self._note(f"> {segment.essence()}")

    def _act(self, line: Line) -> None:
        what, _, rest = line.text.partition(" ")
        if what == "<":
            os.write(self.device.descriptor, Segment.parse(rest).packet(self.bases))
            self._write_unsent()
            return
        number = int(rest or 0)
        match what:
            case "wait":
                pass
            case "listen":
                self.listener = self._socket()
                self.listener.bind((KERNEL, PORT))
                self.listener.listen()
            case "open":
                self._open(number)
            case "write":
                self._write(number)
            case "read":
                self._read(number)
            case "finish":
                self._connected().shutdown(socket.SHUT_WR)
            case "reset":
                stream = self._connected()
                linger = struct.pack("ii", 1, 0)
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                stream.close()
            case _:
                raise ValueError(f"no such action: {line.text}")

    def _open(self, early: int) -> None:
        self.stream = self._socket()
        self.bases.peer = PEER, PORT
        self.bases.clock = None
        self.unsent = early
        with contextlib.suppress(BlockingIOError):
            if early:
                data = b"x" * early
                self.unsent -= self.stream.sendto(data, socket.MSG_FASTOPEN, self.bases.peer)
            else:
                self.stream.connect(self.bases.peer)

    def _write_unsent(self) -> None:
        """Write what did not leave with the SYN, as soon as the connection is there."""
        if self.stream is not None and self.unsent:
            with contextlib.suppress(BlockingIOError):
                self.unsent -= self.stream.send(b"x" * self.unsent)

    def _write(self, count: int) -> None:
        try:
            sent = self._connected().send(b"x" * count)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._note("= no such stream")
            return
        if sent < count:
            self._note(f"= wrote {sent}")

    def _read(self, count: int) -> None:
        try:
            data = self._connected().recv(count)
            self._note(f"= read {len(data)}" if data else "= finished")
        except BlockingIOError:
            self._note("= blocked")
        except OSError:
            self._note("= no such stream")

    def _connected(self) -> socket.socket:
        if self.stream is None:
            if self.listener is None:
                raise ValueError("nothing is open")
            self.stream, _ = self.listener.accept()
            self.stream.settimeout(0.0)
            self.stack.enter_context(self.stream)
        return self.stream

    def _socket(self) -> socket.socket:
        made = self.namespace.inside(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        self.stack.enter_context(made)
        made.settimeout(0.0)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if "nodelay" in self.script.settings:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if "receive_buffer" in self.script.settings:
            room = int(self.script.settings["receive_buffer"])
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        # A machine may have another default, such as BBR, which ours does not model.
        law = self.script.settings.get("congestion", "cubic")
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, law.encode())
        if "user_timeout" in self.script.settings:
            limit = int(self.script.settings["user_timeout"])
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, limit)
        if "keep_alive" in self.script.settings:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            idle, interval, probes = map(int, self.script.settings["keep_alive"].split())
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, idle)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, interval)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, probes)
        return made

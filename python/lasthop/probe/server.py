"""The server of probes: it answers, at once or later, and counts."""

from __future__ import annotations

import heapq
import itertools
import os
import selectors
import socket
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, ip_address
from typing import Any

from lasthop.errors import EnvironmentFailure
from lasthop.probe.datagram import (
    COUNT,
    COUNT_ANSWER,
    ECHO,
    ECHO_ANSWER,
    LONGEST_WAIT_MS,
    OTHER_PORT,
    SINK,
    TIMES,
    TIMES_ANSWER,
    Datagram,
    encode_times,
    numbers_in,
)
from lasthop.probe.quic import answer_to, is_first_packet
from lasthop.probe.streams import StreamServer

_LARGEST = 65_535
_MOST_WAITING = 10_000
"""Answers that may wait at a time; more requests get none."""
_MOST_TESTS = 10_000
"""Tests that are counted at a time; the oldest gives way."""
_MOST_NUMBERS = 100_000
_MOST_NUMBERS_OF_ALL = 2_000_000
"""Numbers of all tests; the oldest test gives way."""
_TRIES_FOR_PORTS = 50

# linux/in.h, linux/in6.h
_MTU_DISCOVER = {
    socket.AF_INET: (socket.IPPROTO_IP, 10),
    socket.AF_INET6: (socket.IPPROTO_IPV6, 23),
}
_PMTUDISC_PROBE = 3


@dataclass(slots=True)
class _Arrivals:
    """When the numbers of a test arrived."""

    begin: float | None = None
    times_us: dict[int, int] = field(default_factory=dict)
    sent_late: int = 0

    def add(self, number: int) -> bool:
        """Note a number; whether it is new."""
        if number in self.times_us or len(self.times_us) >= _MOST_NUMBERS:
            return False
        now = time.monotonic()
        if self.begin is None:
            self.begin = now
        self.times_us[number] = round((now - self.begin) * 1e6)
        return True


@dataclass(frozen=True, slots=True)
class _Late:
    """An answer that waits."""

    answer: Datagram
    size: int
    peer: Any
    arrivals: _Arrivals


class ProbeServer:
    """A server of probes; it listens once it is made.

    It has three sockets: UDP and TCP at its port, and UDP at the next port, by which a NAT is
    found to map and filter by port or not.
    """

    def __init__(self, host: str, port: int) -> None:
        self._socket, self._other, listener = _bound(host, port)
        self._streams = StreamServer(listener)
        self._waiting: list[tuple[float, int, _Late]] = []
        self._order = itertools.count()
        self._seen: OrderedDict[tuple[int, int], _Arrivals] = OrderedDict()
        self._numbers = 0

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    def run(self, stop: int) -> None:
        """Serve until a descriptor can be read."""
        with (
            selectors.DefaultSelector() as selector,
            self._socket,
            self._other,
            self._streams.serving(selector),
        ):
            for each in (self._socket, self._other, stop):
                selector.register(each, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                due = min(self._waiting[0][0] if self._waiting else now + 3600, self._streams.due)
                for key, _ in selector.select(max(0.0, due - now)):
                    if key.fd == stop:
                        os.read(stop, 1)
                        return
                    if key.fileobj in {self._socket, self._other}:
                        self._receive(key.fileobj)
                    else:
                        self._streams.read(key.fileobj)  # type: ignore[arg-type]
                self._send_due()
                self._streams.send_due()

    def _receive(self, receiver: socket.socket) -> None:
        with suppress(OSError):
            content, peer = receiver.recvfrom(_LARGEST)
            if (asked := Datagram.decode(content)) is not None:
                self._take(asked, len(content), peer, receiver)
            elif is_first_packet(content):
                self._send(answer_to(content), peer, receiver)

    def _take(self, asked: Datagram, size: int, peer: Any, receiver: socket.socket) -> None:  # noqa: ANN401  an address
        if asked.kind not in {ECHO, SINK, COUNT, TIMES, OTHER_PORT}:
            return
        arrivals = self._arrivals(asked)
        if asked.kind in {ECHO, SINK}:
            self._numbers += arrivals.add(asked.number)
        if asked.kind == SINK:
            return
        size = min(asked.answer_bytes, size)
        answer = replace(
            asked,
            kind=_ANSWERS[asked.kind],
            counted=len(arrivals.times_us),
            seen_port=peer[1],
            seen_address=_ipv4(peer[0]),
        )
        content = b""
        if asked.kind == TIMES:
            content = encode_times(arrivals.times_us, asked.number, numbers_in(size))
        sender = receiver
        if asked.kind == OTHER_PORT:
            sender = self._other if receiver is self._socket else self._socket
        if asked.wait_ms == 0 or asked.kind != ECHO:
            self._send(answer.encode(size, content), peer, sender)
        elif len(self._waiting) < _MOST_WAITING:
            due = time.monotonic() + min(asked.wait_ms, LONGEST_WAIT_MS) / 1000
            late = _Late(answer, size, peer, arrivals)
            heapq.heappush(self._waiting, (due, next(self._order), late))

    def _arrivals(self, asked: Datagram) -> _Arrivals:
        key = (asked.session, asked.test)
        if key not in self._seen:
            self._seen[key] = _Arrivals()
        while len(self._seen) > _MOST_TESTS or (
            self._numbers > _MOST_NUMBERS_OF_ALL and len(self._seen) > 1
        ):
            _, oldest = self._seen.popitem(last=False)
            self._numbers -= len(oldest.times_us)
        return self._seen.setdefault(key, _Arrivals())

    def _send_due(self) -> None:
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            _, _, late = heapq.heappop(self._waiting)
            written = replace(late.answer, counted=late.arrivals.sent_late).encode(late.size)
            late.arrivals.sent_late += 1
            self._send(written, late.peer, self._socket)

    @staticmethod
    def _send(answer: bytes, peer: Any, sender: socket.socket) -> None:  # noqa: ANN401  an address
        # What does not get out is lost, as on the way.
        with suppress(OSError):
            sender.sendto(answer, peer)


_ANSWERS = {
    ECHO: ECHO_ANSWER,
    OTHER_PORT: ECHO_ANSWER,
    COUNT: COUNT_ANSWER,
    TIMES: TIMES_ANSWER,
}


def keep_whole(datagrams: socket.socket) -> None:
    """Have datagrams sent whole or not at all, whatever the kernel knows of the path."""
    level, option = _MTU_DISCOVER[socket.AddressFamily(datagrams.family)]
    with suppress(OSError):
        datagrams.setsockopt(level, option, _PMTUDISC_PROBE)


def _bound(host: str, port: int) -> tuple[socket.socket, socket.socket, socket.socket]:
    """Bind UDP and TCP at a port and UDP at the next one; with port 0 at free ones."""
    for left in reversed(range(_TRIES_FOR_PORTS if port == 0 else 1)):
        made: list[socket.socket] = []
        at = port
        try:
            for kind, further in ((socket.SOCK_DGRAM, 0), (socket.SOCK_DGRAM, 1), _STREAM):
                if made:
                    at = made[0].getsockname()[1] + further
                made.append(_at(kind, host, at))
        except (OSError, OverflowError) as error:
            for each in made:
                each.close()
            if left == 0:
                why = getattr(error, "strerror", None) or str(error)
                raise EnvironmentFailure(
                    f"{host}:{at}: {why}; stop the program that has it, or write another address "
                    "with --listen (the server takes UDP and TCP at its port, and UDP at the next)"
                ) from error
        else:
            first, second, listener = made
            return first, second, listener
    raise AssertionError("unreachable")


_STREAM = (socket.SOCK_STREAM, 0)


def _at(kind: socket.SocketKind, host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, kind)
    try:
        if kind is socket.SOCK_STREAM:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        else:
            keep_whole(made)
        made.bind((host, port))
        made.setblocking(False)  # noqa: FBT003  as socket has it
        if kind is socket.SOCK_STREAM:
            made.listen(128)
    except BaseException:
        made.close()
        raise
    return made


def _ipv4(host: str) -> IPv4Address:
    """Give the IPv4 address of a peer; zeros for one of IPv6."""
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv4Address(0)

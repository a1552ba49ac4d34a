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
from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

from lasthop.errors import EnvironmentFailure
from lasthop.probe.datagram import COUNT, COUNT_ANSWER, ECHO, ECHO_ANSWER, LONGEST_WAIT_MS, Datagram

_LARGEST = 65_535
_MOST_WAITING = 10_000
"""Answers that may wait at a time; more requests get none."""
_MOST_TESTS = 10_000
"""Tests that are counted at a time; the oldest gives way."""
_MOST_NUMBERS = 100_000

# linux/in.h
_IP_MTU_DISCOVER = 10
_IP_PMTUDISC_PROBE = 3


class ProbeServer:
    """A server of probes at one address; it listens once it is made."""

    def __init__(self, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise EnvironmentFailure(
                f"{host}:{port}: {error.strerror}; stop the program that has it, or write another "
                "address with --listen"
            ) from error
        self._socket.setblocking(False)  # noqa: FBT003  as socket has it
        keep_whole(self._socket)
        self._waiting: list[tuple[float, int, bytes, Any]] = []
        self._order = itertools.count()
        self._seen: OrderedDict[tuple[int, int], set[int]] = OrderedDict()

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    def run(self, stop: int) -> None:
        """Serve until a descriptor can be read."""
        with selectors.DefaultSelector() as selector, self._socket:
            selector.register(self._socket, selectors.EVENT_READ)
            selector.register(stop, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                wait = max(0.0, self._waiting[0][0] - now) if self._waiting else None
                for key, _ in selector.select(wait):
                    if key.fd == stop:
                        os.read(stop, 1)
                        return
                    self._receive()
                self._send_due()

    def _receive(self) -> None:
        with suppress(OSError):
            content, peer = self._socket.recvfrom(_LARGEST)
            if (asked := Datagram.decode(content)) is not None:
                self._take(asked, len(content), peer)

    def _take(self, asked: Datagram, size: int, peer: Any) -> None:  # noqa: ANN401  an address
        seen = self._numbers(asked)
        if asked.kind == ECHO:
            if len(seen) < _MOST_NUMBERS:
                seen.add(asked.number)
            kind = ECHO_ANSWER
        elif asked.kind == COUNT:
            kind = COUNT_ANSWER
        else:
            return
        host, port = peer[:2]
        address = IPv4Address(host) if "." in host and ":" not in host else IPv4Address(0)
        answer = replace(
            asked, kind=kind, counted=len(seen), seen_port=port, seen_address=address
        ).encode(min(asked.answer_bytes, size))
        if asked.wait_ms == 0:
            self._send(answer, peer)
        elif len(self._waiting) < _MOST_WAITING:
            due = time.monotonic() + min(asked.wait_ms, LONGEST_WAIT_MS) / 1000
            heapq.heappush(self._waiting, (due, next(self._order), answer, peer))

    def _numbers(self, asked: Datagram) -> set[int]:
        key = (asked.session, asked.test)
        if key not in self._seen:
            self._seen[key] = set()
            if len(self._seen) > _MOST_TESTS:
                self._seen.popitem(last=False)
        return self._seen[key]

    def _send_due(self) -> None:
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            _, _, answer, peer = heapq.heappop(self._waiting)
            self._send(answer, peer)

    def _send(self, answer: bytes, peer: Any) -> None:  # noqa: ANN401  an address
        # What does not get out is lost, as on the way.
        with suppress(OSError):
            self._socket.sendto(answer, peer)


def keep_whole(datagrams: socket.socket) -> None:
    """Have datagrams sent whole or not at all, whatever the kernel knows of the path."""
    if datagrams.family == socket.AF_INET:
        with suppress(OSError):
            datagrams.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _IP_PMTUDISC_PROBE)

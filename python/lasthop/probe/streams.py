"""TCP of a probe: a connection with one request, whose answer comes after an idle time."""

from __future__ import annotations

import heapq
import itertools
import math
import selectors
import time
from collections import OrderedDict
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from lasthop.probe.datagram import ECHO, ECHO_ANSWER, HEADER_BYTES, LONGEST_WAIT_MS, Datagram

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

_MOST_CONNECTIONS = 2_000
"""The oldest connection gives way."""


class StreamServer:
    """Accepts connections, reads a request of 32 bytes from each, and answers it when it is due."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._selector: selectors.BaseSelector
        self._read: OrderedDict[socket.socket, bytes] = OrderedDict()
        self._waiting: list[tuple[float, int, socket.socket, bytes]] = []
        self._order = itertools.count()

    @contextmanager
    def serving(self, selector: selectors.BaseSelector) -> Iterator[None]:
        """Register the listener, and close everything at the end."""
        self._selector = selector
        with self._listener:
            selector.register(self._listener, selectors.EVENT_READ)
            try:
                yield
            finally:
                for each in list(self._read):
                    self._close(each)

    @property
    def due(self) -> float:
        """When the next answer leaves."""
        return self._waiting[0][0] if self._waiting else math.inf

    def read(self, ready: socket.socket) -> None:
        """Accept a connection, or read from one."""
        if ready is self._listener:
            with suppress(OSError):
                self._accept()
            return
        try:
            content = ready.recv(HEADER_BYTES)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content or len(self._read[ready]) >= HEADER_BYTES:
            self._close(ready)  # it has ended, or says more than one request
            return
        self._read[ready] += content
        if len(self._read[ready]) < HEADER_BYTES:
            return
        asked = Datagram.decode(self._read[ready])
        if asked is None or asked.kind != ECHO:
            self._close(ready)
            return
        due = time.monotonic() + min(asked.wait_ms, LONGEST_WAIT_MS) / 1000
        answer = Datagram(
            kind=ECHO_ANSWER, session=asked.session, test=asked.test, number=asked.number
        )
        entry = (due, next(self._order), ready, answer.encode(HEADER_BYTES))
        heapq.heappush(self._waiting, entry)

    def send_due(self) -> None:
        """Send the answers that are due."""
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            _, _, connection, answer = heapq.heappop(self._waiting)
            if connection in self._read:
                with suppress(OSError):
                    connection.send(answer)

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.setblocking(False)  # noqa: FBT003  as socket has it
        self._read[connection] = b""
        self._selector.register(connection, selectors.EVENT_READ)
        if len(self._read) > _MOST_CONNECTIONS:
            self._close(next(iter(self._read)))

    def _close(self, connection: socket.socket) -> None:
        self._read.pop(connection, None)
        with suppress(KeyError, ValueError):
            self._selector.unregister(connection)
        connection.close()

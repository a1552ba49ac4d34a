"""Where the servers listen, and connections to them: plain, secured, and over WebSocket."""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 20.0
HONEST = "127.0.0.1"
HOSTILE = "127.0.0.2"
"""Attackers have an address of their own, as strangers have."""


LONGER = {126: 2, 127: 8}
"""Lengths of messages of WebSocket that say how many bytes the length has behind them."""

CLOSE = 8
"""The first control frame of WebSocket (RFC 6455 section 5.2)."""


class GoneError(ConnectionError):
    """The server has closed the connection."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener of a server."""

    name: str
    scheme: str
    place: tuple[str, int]
    protocol: str
    """Of the application: mqtt, coap, http, json."""
    server: int
    """The id of its process."""
    authority: Path
    keys: Path


class Stream:
    """A connection over TCP, TLS or WebSocket that takes and gives bytes."""

    def __init__(self, listener: Listener, source: str = HONEST, room: int = 0) -> None:
        kind = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if room:
            kind.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        kind.settimeout(PATIENCE_S)
        kind.bind((source, 0))
        kind.connect(listener.place)
        self.socket = kind
        if listener.scheme in {"mqtts", "wss", "coaps+tcp", "https"}:
            context = ssl.create_default_context(cafile=str(listener.authority))
            context.check_hostname = False
            self.socket = context.wrap_socket(kind)
        self.is_framed = listener.scheme in {"ws", "wss"}
        self.unread = b""
        if self.is_framed:
            self._open()

    def _open(self) -> None:
        request = (
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: mqtt\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        while b"\r\n\r\n" not in self.unread:
            self.unread += self._some()
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        if b" 101 " not in head:
            raise GoneError(head)

    def _some(self) -> bytes:
        part = self.socket.recv(65536)
        if not part:
            raise GoneError
        return part

    def say(self, said: bytes) -> None:
        """Send bytes, over WebSocket as one message."""
        self.socket.sendall(masked(said) if self.is_framed else said)

    def hear(self) -> bytes:
        """Give what comes next."""
        if not self.is_framed:
            return self._some()
        while True:
            head = self._exactly(2)
            length = head[1] & 127
            if length in LONGER:
                length = int.from_bytes(self._exactly(LONGER[length]), "big")
            payload = self._exactly(length)
            if head[0] & 15 == CLOSE:
                raise GoneError
            if head[0] & 15 < CLOSE:
                return payload

    def _exactly(self, count: int) -> bytes:
        while len(self.unread) < count:
            self.unread += self._some()
        found, self.unread = self.unread[:count], self.unread[count:]
        return found

    def close(self) -> None:
        """Close it without a word."""
        self.socket.close()


def masked(said: bytes) -> bytes:
    """Write a message of a client of WebSocket; its mask changes nothing."""
    length = len(said)
    if length < min(LONGER):
        head = bytes([0x82, 0x80 | length])
    elif length < 1 << 16:
        head = bytes([0x82, 0x80 | 126]) + length.to_bytes(2, "big")
    else:
        head = bytes([0x82, 0x80 | 127]) + length.to_bytes(8, "big")
    return head + bytes(4) + said


def datagrams(listener: Listener, source: str = HONEST) -> socket.socket:
    """Open a socket for datagrams."""
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.settimeout(PATIENCE_S)
    found.bind((source, 0))
    found.connect(listener.place)
    return found


def memory_bytes(process: int, row: str = "VmRSS") -> int:
    """Give what a process holds of memory now, or held at most (VmHWM)."""
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{row}:"):
            return int(line.split()[1]) * 1024
    raise ProcessLookupError(process)


def forget_peak(process: int) -> None:
    """Have the kernel count the most memory of a process anew."""
    Path(f"/proc/{process}/clear_refs").write_text("5", encoding="ascii")


def name_of_own() -> str:
    """Give a name that no other client has."""
    return f"c{os.urandom(6).hex()}"

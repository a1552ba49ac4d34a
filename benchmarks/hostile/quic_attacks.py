"""Hostile clients of QUIC and HTTP/3, by aioquic."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from aioquic.quic.packet import QuicErrorCode
from benchmarks.hostile import words
from benchmarks.hostile.datagram_attacks import flood, nonsense, numbers
from benchmarks.hostile.http3 import Http3Client
from benchmarks.hostile.streams import Listener, name_of_own
from benchmarks.quic_client import QuicClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.hostile.stream_attacks import Attack

INITIAL_BYTES = 1200


def game(play: Callable[[QuicClient], None]) -> Attack:
    """Make an attack of what is done again and again on one connection after the other."""

    def attack(listener: Listener, end: float) -> None:
        while time.monotonic() < end:
            with contextlib.suppress(AssertionError, OSError), begun(listener) as client:
                while time.monotonic() < end and client.ended is None:
                    play(client)
                    client.send()
                    read(client)

    return attack


def begun(listener: Listener) -> QuicClient:
    """Give a connection whose handshake is over."""
    if listener.protocol == "mqtt":
        client = QuicClient(listener.place, listener.authority)
        client.say(words.connect(name_of_own()))
    else:
        client = Http3Client(listener)
    client.until(lambda: client.shaken is not None)
    return client


def read(client: QuicClient) -> None:
    """Take what has come, and wait for nothing."""
    client.socket.settimeout(0)
    with contextlib.suppress(BlockingIOError):
        while True:
            datagram = client.socket.recv(65_535)
            client.quic.receive_datagram(datagram, client.place, now=time.monotonic())
    for event in client.events():
        client.take(event)


def identifiers(client: QuicClient) -> None:
    """Give connection identifiers back as fast as there are new ones."""
    client.quic.change_connection_id()


def challenges(client: QuicClient) -> None:
    """Have the path shown again and again (PATH_CHALLENGE)."""
    path = client.quic._network_paths[0]  # noqa: SLF001  aioquic asks by itself once only
    path.is_validated = False
    path.local_challenge_sent = False
    client.quic.send_ping(os.getpid())


def moves(client: QuicClient) -> None:
    """Go on from another port for each packet."""
    client.rebind()
    client.quic.send_ping(os.getpid())


def resets(client: QuicClient) -> None:
    """Begin requests and give them up at once (Rapid Reset)."""
    for _ in range(20):
        if isinstance(client, Http3Client):
            stream = client.begin("/nothing", ends=False)
        else:
            stream = client.quic.get_next_available_stream_id()
            client.quic.send_stream_data(stream, b"\xc0")
        client.quic.reset_stream(stream, QuicErrorCode.NO_ERROR)


def blocked(client: QuicClient) -> None:
    """Begin requests whose fields name what the table of QPACK does not have yet."""
    stream = client.quic.get_next_available_stream_id()
    # HEADERS whose required insert count is 100, and an indexed field behind.
    client.quic.send_stream_data(stream, b"\x01\x04\x65\x00\x80\x81")


def initials() -> Iterator[bytes]:
    """Write first packets that nobody can open."""
    for _ in numbers():
        head = b"\xc3\0\0\0\x01\x08" + os.urandom(8) + b"\x08" + os.urandom(8) + b"\0\x44\x96"
        yield (head + os.urandom(INITIAL_BYTES))[:INITIAL_BYTES]


QUIC: dict[str, Attack] = {
    "flooding with first packets": flood(initials),
    "nonsense": flood(nonsense),
    "connection identifier flood": game(identifiers),
    "PATH_CHALLENGE flood": game(challenges),
    "migration": game(moves),
    "stream reset flood": game(resets),
}
"""Of QUIC."""

HTTP_3: dict[str, Attack] = {"QPACK blocking": game(blocked)}
"""Of HTTP/3."""

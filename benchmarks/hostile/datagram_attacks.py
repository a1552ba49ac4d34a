"""Hostile clients of CoAP, JSON and DTLS, whose messages are datagrams."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from benchmarks.hostile import words
from benchmarks.hostile.streams import HOSTILE, Listener, datagrams

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from benchmarks.hostile.stream_attacks import Attack

PORTS = 200


def from_many_ports(listener: Listener) -> list[socket.socket]:
    """Open sockets at ports of their own, which nobody reads."""
    found = []
    for _ in range(PORTS):
        client = datagrams(listener, HOSTILE)
        client.settimeout(0)
        found.append(client)
    return found


def flood(words_of: Callable[[], Iterator[bytes]]) -> Attack:
    """Make an attack that says the same from many ports, in turn and without a pause."""

    def attack(listener: Listener, end: float) -> None:
        clients = from_many_ports(listener)
        for place, said in enumerate(words_of()):
            with contextlib.suppress(OSError):
                clients[place % PORTS].send(said)
            if place % 64 == 0 and time.monotonic() >= end:
                break
        for client in clients:
            client.close()

    return attack


def numbers() -> Iterator[int]:
    """Count without an end."""
    number = 0
    while True:
        number += 1
        yield number


def requests() -> Iterator[bytes]:
    """Ask for the list of resources."""
    for number in numbers():
        yield words.coap(1, number % 65_536, [".well-known", "core"], token=b"a")


def unfinished_bodies() -> Iterator[bytes]:
    """Send the first block of a body of 64 KiB, to a resource of its own each time (Block1)."""
    for number in numbers():
        options = {27: b"\x0e"}
        path = ["ps", f"b{number}"]
        yield words.coap(3, number % 65_536, path, options=options, payload=bytes(1024))


def observers() -> Iterator[bytes]:
    """Observe one topic after the other from each port."""
    for number in numbers():
        path, token = ["ps", f"o{number // PORTS % 2_000}"], number.to_bytes(4, "big")
        yield words.coap(1, number % 65_536, path, token=token, options={6: b""})


def nonsense() -> Iterator[bytes]:
    """Say what is no message."""
    for number in numbers():
        yield os.urandom(1 + number % 1200)


def subscriptions() -> Iterator[bytes]:
    """Subscribe to one topic after the other."""
    for number in numbers():
        yield f'{{"op":"sub","topic":"t/{number}"}}'.encode()


def publications() -> Iterator[bytes]:
    """Publish a kilobyte again and again."""
    said = f'{{"op":"pub","topic":"a","data":"{"x" * 1000}"}}'.encode()
    for _ in numbers():
        yield said


def hello(*, fragment: bool) -> bytes:
    """Write a ClientHello of DTLS 1.2, or its first fragment, with a random number of its own."""
    body = b"\xfe\xfd" + os.urandom(32) + b"\0\0" + b"\0\x02\xc0\xa8" + b"\x01\0"
    length = len(body).to_bytes(3, "big")
    if fragment:
        length = (len(body) + 500).to_bytes(3, "big")
    message = b"\x01" + length + b"\0\0" + b"\0\0\0" + len(body).to_bytes(3, "big") + body
    return b"\x16\xfe\xfd" + bytes(8) + len(message).to_bytes(2, "big") + message


def hellos() -> Iterator[bytes]:
    """Begin handshakes and send no cookie back."""
    for _ in numbers():
        yield hello(fragment=False)


def fragments() -> Iterator[bytes]:
    """Send first fragments of hellos."""
    for _ in numbers():
        yield hello(fragment=True)


def half_handshakes(listener: Listener, end: float) -> None:
    """Send the cookie back, and say no more."""
    while time.monotonic() < end:
        client = datagrams(listener, HOSTILE)
        client.settimeout(0.5)
        with contextlib.suppress(OSError):
            first = hello(fragment=False)
            client.send(first)
            # Behind the heads of record and message, the version, and its length.
            cookie = client.recv(1000)[28:]
            body = first[25:60] + bytes([len(cookie)]) + cookie + first[61:]
            length = len(body).to_bytes(3, "big")
            message = b"\x01" + length + b"\0\x01" + bytes(3) + length + body
            head = b"\x16\xfe\xfd" + bytes(7) + b"\x01" + len(message).to_bytes(2, "big")
            client.send(head + message)
        client.close()


COAP: dict[str, Attack] = {
    "flooding": flood(requests),
    "bodies without an end (Block1)": flood(unfinished_bodies),
    "observe flood": flood(observers),
    "nonsense": flood(nonsense),
}
"""Of CoAP over UDP."""

JSON: dict[str, Attack] = {
    "flooding with subscriptions": flood(subscriptions),
    "flooding with publications": flood(publications),
    "nonsense": flood(nonsense),
}
"""Of JSON over UDP."""

DTLS: dict[str, Attack] = {
    "hello flood": flood(hellos),
    "fragments": flood(fragments),
    "half handshakes": half_handshakes,
    "nonsense": flood(nonsense),
}
"""Of DTLS."""

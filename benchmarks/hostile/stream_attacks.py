"""Hostile clients of connections: those of any protocol, and those who play with MQTT."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from benchmarks.hostile import words
from benchmarks.hostile.streams import HOSTILE, Listener, Stream, name_of_own

if TYPE_CHECKING:
    from collections.abc import Callable

    Attack = Callable[[Listener, float], None]

FIRST: dict[str, bytes] = {
    "mqtt": words.connect("half"),
    "coap": b"\x00\xe1",
    "http": b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
}
"""What a client of a protocol says first."""

MOST_CONNECTIONS = 300


def opened(listener: Listener, room: int = 0) -> Stream:
    """Open a connection from the attacker's address."""
    return Stream(listener, HOSTILE, room)


def many(listener: Listener, end: float, said: bytes = b"", room: int = 0) -> list[Stream]:
    """Open as many connections as go, and say the same on each."""
    found: list[Stream] = []
    while time.monotonic() < end and len(found) < MOST_CONNECTIONS:
        with contextlib.suppress(OSError):
            found.append(opened(listener, room))
            if said:
                found[-1].say(said)
    return found


def hold(end: float, kept: list[Stream]) -> None:
    """Keep connections to the end."""
    time.sleep(max(end - time.monotonic(), 0))
    for stream in kept:
        stream.close()


def over_and_over(listener: Listener, end: float, play: Callable[[Stream], None]) -> None:
    """Play a game on one connection after the other, as each is closed by the server."""
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            stream = opened(listener)
            stream.socket.settimeout(max(min(end - time.monotonic(), 2), 0.01))
            try:
                while time.monotonic() < end:
                    play(stream)
            finally:
                stream.close()


def silent(listener: Listener, end: float) -> None:
    """Open connections and say nothing."""
    hold(end, many(listener, end))


def half_open(listener: Listener, end: float) -> None:
    """Open connections and say the half of a first message on each."""
    first = FIRST[listener.protocol]
    hold(end, many(listener, end, first[: len(first) // 2]))


def churn(listener: Listener, end: float) -> None:
    """Open connections and close them at once."""
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            opened(listener).close()


def request_of(listener: Listener) -> bytes:
    """Give a request that is answered."""
    if listener.protocol == "mqtt":
        return words.PINGREQ
    if listener.protocol == "coap":
        return words.coap_tcp(1, [".well-known", "core"], b"t")
    return FIRST["http"]


def flooding(listener: Listener, end: float) -> None:
    """Ask without a pause, and read the answers."""
    request = request_of(listener) * 200

    def play(stream: Stream) -> None:
        stream.say(request)
        stream.hear()

    begun(listener, end, play)


def slow_reader(listener: Listener, end: float) -> None:
    """Ask without a pause, and read nothing."""
    request = request_of(listener) * 2_000

    def play(stream: Stream) -> None:
        stream.say(request)

    begun(listener, end, play)


def begun(listener: Listener, end: float, play: Callable[[Stream], None]) -> None:
    """Play a game behind the first message."""
    done: set[int] = set()

    def behind_first(stream: Stream) -> None:
        if id(stream) not in done:
            done.clear()
            done.add(id(stream))
            first = FIRST[listener.protocol]
            if listener.protocol == "mqtt":
                first = words.connect(name_of_own())
            stream.say(first)
        play(stream)

    over_and_over(listener, end, behind_first)


def unfinished_packets(listener: Listener, end: float) -> None:
    """Send packets of a megabyte on many connections, each without its last byte."""
    packet = words.publish("t", bytes(1_000_000))[:-1]
    kept: list[Stream] = []
    while time.monotonic() < end and len(kept) < MOST_CONNECTIONS:
        with contextlib.suppress(OSError):
            kept.append(opened(listener))
            kept[-1].say(words.connect(name_of_own()))
            kept[-1].say(packet)
    hold(end, kept)


def topic_aliases(listener: Listener, end: float) -> None:
    """Use topic aliases beyond the limit, and others that stand for nothing."""
    game = b"".join(
        words.publish("t" * 1_000, b"x", b"\x23" + alias.to_bytes(2, "big"), 0)
        for alias in (*range(1, 11), 65_535)
    )
    begun(listener, end, lambda stream: stream.say(game))


def user_properties(listener: Listener, end: float) -> None:
    """Publish retained messages with ten thousand user properties."""
    properties = (b"\x26" + words.text("n") + words.text("v" * 20)) * 10_000
    count = 0

    def play(stream: Stream) -> None:
        nonlocal count
        count += 1
        stream.say(words.publish(f"p/{count}", b"x", properties, 3))

    begun(listener, end, play)


def subscription_ids(listener: Listener, end: float) -> None:
    """Subscribe with identifiers to a thousand filters that all match, and publish to them."""
    count = 0

    def play(stream: Stream) -> None:
        nonlocal count
        count += 1
        identifier = b"\x0b" + words.variable(268_435_455 - count % 1_000)
        stream.say(words.subscribe([f"s/{'+/' * (count % 20)}#"], identifier))
        stream.say(words.publish("s/a/b/c", b"x"))

    begun(listener, end, play)


def session_expiry(listener: Listener, end: float) -> None:
    """Park sessions that never end, each with a subscription."""
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            stream = opened(listener)
            name = name_of_own()
            stream.say(words.connect(name, expiry_s=0xFFFF_FFFF) + words.subscribe([f"q/{name}"]))
            stream.hear()
            stream.close()


ANY: dict[str, Attack] = {
    "silent": silent,
    "half-open": half_open,
    "connections that close at once": churn,
    "flooding": flooding,
    "slow reader": slow_reader,
}
"""Of any protocol over connections."""

MQTT: dict[str, Attack] = {
    "unfinished packets": unfinished_packets,
    "topic aliases": topic_aliases,
    "user properties": user_properties,
    "subscription identifiers": subscription_ids,
    "endless session expiry": session_expiry,
}
"""Of MQTT."""

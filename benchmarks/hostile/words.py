"""Messages of MQTT, CoAP and HTTP/2 as bytes, good ones and others."""

from __future__ import annotations

import struct

PINGREQ = b"\xc0\x00"
PINGRESP = b"\xd0\x00"

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = 0, 1, 2, 3, 4
PING, WINDOW_UPDATE, CONTINUATION = 6, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
GET = b"\x82\x86\x84\x41\x01b"
"""The fields of a request in HPACK: GET, http, /, and an authority."""


SMALLEST = 2
"""Bytes of the head of a small packet of MQTT."""

CONTINUES = 128
"""A byte of a length of MQTT that has others behind it."""

WITH_PROPERTIES = 5
"""The version of MQTT that has properties."""

LONG = 13
"""Where a length of CoAP has a byte more (RFC 7252 section 3.1)."""

HEAD = 9
"""Bytes of the head of a frame of HTTP/2."""


def text(said: str) -> bytes:
    """Write a string of MQTT with its length."""
    return len(said).to_bytes(2, "big") + said.encode()


def packet(kind: int, body: bytes) -> bytes:
    """Write a packet of MQTT with its length."""
    return bytes([kind]) + variable(len(body)) + body


def variable(value: int) -> bytes:
    """Write a number as MQTT writes lengths."""
    parts = bytearray()
    while value >= CONTINUES:
        parts.append(value % CONTINUES | CONTINUES)
        value //= CONTINUES
    return bytes([*parts, value])


def connect(name: str, version: int = 5, expiry_s: int = 0) -> bytes:
    """Write CONNECT with a clean start."""
    head = text("MQTT") + bytes([version, 2, 0, 0])
    properties = b"\x11" + struct.pack(">I", expiry_s) if expiry_s else b""
    if version == WITH_PROPERTIES:
        head += variable(len(properties)) + properties
    return packet(0x10, head + text(name))


def publish(topic: str, payload: bytes, properties: bytes = b"", flags: int = 2) -> bytes:
    """Write PUBLISH of MQTT 5 with QoS 1."""
    head = text(topic) + (b"\x00\x01" if flags & 6 else b"")
    return packet(0x30 | flags, head + variable(len(properties)) + properties + payload)


def subscribe(topics: list[str], properties: bytes = b"", qos: int = 1) -> bytes:
    """Write SUBSCRIBE of MQTT 5."""
    filters = b"".join(text(topic) + bytes([qos]) for topic in topics)
    return packet(0x82, b"\x00\x01" + variable(len(properties)) + properties + filters)


def frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    """Write a frame of HTTP/2."""
    head = struct.pack(">I", len(body))[1:] + bytes([kind, flags])
    return head + struct.pack(">I", stream) + body


def is_cut(heard: bytes) -> bool:
    """Tell whether a frame of HTTP/2 has not come whole."""
    return len(heard) < HEAD or len(heard) < HEAD + int.from_bytes(heard[:3], "big")


def coap(  # noqa: PLR0913  each is a part of a message
    code: int,
    number: int,
    path: list[str],
    *,
    token: bytes = b"",
    options: dict[int, bytes] | None = None,
    payload: bytes = b"",
) -> bytes:
    """Write a confirmable message of CoAP."""
    head = bytes([0x40 | len(token), code]) + number.to_bytes(2, "big") + token
    return head + coap_options(path, options or {}) + (b"\xff" + payload if payload else b"")


def coap_tcp(code: int, path: list[str], token: bytes = b"") -> bytes:
    """Write a message of CoAP over TCP."""
    rest = coap_options(path, {})
    if len(rest) < LONG:
        return bytes([len(rest) << 4 | len(token), code]) + token + rest
    return bytes([LONG << 4 | len(token), len(rest) - LONG, code]) + token + rest


def coap_options(path: list[str], options: dict[int, bytes]) -> bytes:
    """Write options in the order of their numbers; 11 is the path."""
    found = [(11, part.encode()) for part in path] + list(options.items())
    written, before = b"", 0
    for number, value in sorted(found, key=lambda it: it[0]):
        written += nibbles(number - before, len(value)) + value
        before = number
    return written


def nibbles(delta: int, length: int) -> bytes:
    """Write the head of an option."""
    parts, behind = [], b""
    for value in (delta, length):
        if value < LONG:
            parts.append(value)
        else:
            parts.append(LONG)
            behind += bytes([value - LONG])
    return bytes([parts[0] << 4 | parts[1]]) + behind

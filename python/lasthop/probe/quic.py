"""Whether QUIC passes: its first packet, and as many bytes that are not QUIC.

The packet is the client's Initial of RFC 9001 appendix A.2, for version 1: a middlebox that reads
Initial packets finds a ClientHello for ``example.com`` in it. The server answers with a Version
Negotiation packet (RFC 9000 section 17.2.1), as a server does that has other versions.
"""

from __future__ import annotations

import select
import socket
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.probe.datagram import ECHO, Datagram

if TYPE_CHECKING:
    from lasthop.probe.asking import Server

INITIAL_BYTES = 1200
"""The smallest datagram with an Initial packet (RFC 9000 section 14.1)."""

TRIES = 8
"""Where one of five packets is lost each way, no answer comes in 3 of 10,000 tests."""

_LONG_HEADER = 0x80
_FIRST_BITS = _LONG_HEADER | 0x40
_PLACE_OF_IDS = 5
_LONGEST_ID = 20
_VERSION_OF_SERVER = 0x1A2A3A4A
"""One of those that are reserved to be refused (RFC 9000 section 15)."""


def quic(server: Server, *, test: int, patience_s: float) -> dict[str, Any]:
    """See whether an Initial packet is answered, and whether other datagrams of its size are."""
    with socket.socket(server.family, socket.SOCK_DGRAM) as opened:
        opened.connect(server.address)
        initial, answered = _tried(server, opened, patience_s)
    echoes = 0
    with server.ask() as asking:
        for number in range(TRIES):
            echoes += 1
            asked = Datagram(kind=ECHO, session=0, test=test, number=number)
            if asking.exchange(asked, size=INITIAL_BYTES, tries=1, patience_s=patience_s):
                return _found(initial, echoes, answered=answered, others_answered=True)
    return _found(initial, echoes, answered=answered, others_answered=False)


def _found(initial: int, echoes: int, *, answered: bool, others_answered: bool) -> dict[str, Any]:
    return {
        "initial_sent": initial,
        "is_answered": answered,
        "others_sent": echoes,
        "others_are_answered": others_answered,
    }


def _tried(server: Server, opened: socket.socket, patience_s: float) -> tuple[int, bool]:
    packet = first_packet()
    for number in range(1, TRIES + 1):
        server.meter.sent(len(packet) + server.overhead)
        with suppress(OSError):  # ICMP has answered an earlier one
            opened.send(packet)
        until = time.monotonic() + patience_s
        while (left := until - time.monotonic()) > 0 and select.select([opened], [], [], left)[0]:
            with suppress(OSError):
                content = opened.recv(2048)
                server.meter.received(len(content) + server.overhead)
                if content[1:] == answer_to(packet)[1:]:
                    return number, True
    return TRIES, False


@cache
def first_packet() -> bytes:
    """Give the client's Initial packet of RFC 9001 appendix A.2."""
    return Path(__file__).with_name("quic_initial.bin").read_bytes()


def is_first_packet(content: bytes) -> bool:
    """Tell a datagram that a QUIC server of any version answers (RFC 8999 section 5.1).

    Examples
    --------
    >>> is_first_packet(first_packet()), is_first_packet(bytes(INITIAL_BYTES))
    (True, False)
    """
    if len(content) < INITIAL_BYTES or content[0] & _FIRST_BITS != _FIRST_BITS:
        return False
    return any(content[1:_PLACE_OF_IDS]) and max(map(len, _ids(content))) <= _LONGEST_ID


def answer_to(content: bytes) -> bytes:
    """Write the Version Negotiation packet for a first packet; it is smaller than that.

    Examples
    --------
    >>> answer_to(first_packet()).hex(" ")
    '80 00 00 00 00 00 08 83 94 c8 f0 3e 51 57 08 1a 2a 3a 4a'
    """
    destination, source = _ids(content)
    parts = (bytes([len(it)]) + it for it in (source, destination))
    header = bytes([_LONG_HEADER]) + bytes(4)
    return header + b"".join(parts) + _VERSION_OF_SERVER.to_bytes(4)


def _ids(content: bytes) -> tuple[bytes, bytes]:
    """Give the connection IDs of destination and source."""
    end = _PLACE_OF_IDS + 1 + content[_PLACE_OF_IDS]
    destination = content[_PLACE_OF_IDS + 1 : end]
    return destination, content[end + 1 : end + 1 + content[end]]

"""What a probe and its server send each other: a header of 32 bytes, filled up with zeros."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address

_FORMAT = struct.Struct(">4sBBHIIIIHH4s")
_MAGIC = b"LHP1"

_NOWHERE = IPv4Address(0)

HEADER_BYTES = _FORMAT.size
"""The smallest datagram."""

LONGEST_WAIT_MS = 24 * 3600 * 1000
"""How long a server lets an answer wait at most."""

ECHO, ECHO_ANSWER, COUNT, COUNT_ANSWER = 1, 2, 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Datagram:
    """A request or its answer.

    Attributes
    ----------
    kind
        ``ECHO`` asks for an answer and is counted, ``COUNT`` asks how many were counted.
    session, test
        Chosen by the probe: numbers are counted apart for each test of a session.
    number
        Of the request among those of its test; the answer has the same.
    answer_bytes
        How large the answer is to be. It is never larger than the request.
    wait_ms
        How long the server waits before it answers.
    counted
        In answers: how many numbers of the test the server has seen.
    seen_port, seen_address
        In answers: from where the request came, as the server saw it.
    """

    kind: int
    session: int
    test: int = 0
    number: int = 0
    answer_bytes: int = HEADER_BYTES
    wait_ms: int = 0
    counted: int = 0
    seen_port: int = 0
    seen_address: IPv4Address = _NOWHERE

    def encode(self, size: int) -> bytes:
        """Write it, filled up to a size."""
        header = _FORMAT.pack(
            _MAGIC,
            self.kind,
            0,
            self.answer_bytes,
            self.session,
            self.number,
            self.wait_ms,
            self.counted,
            self.test,
            self.seen_port,
            self.seen_address.packed,
        )
        return header.ljust(size, b"\0")

    @classmethod
    def decode(cls, content: bytes) -> Datagram | None:
        """Read one; None if it is none.

        Examples
        --------
        >>> sent = Datagram(kind=ECHO, session=7, number=2)
        >>> Datagram.decode(sent.encode(100)) == sent, Datagram.decode(b"GET / HTTP/1.1")
        (True, None)
        """
        if len(content) < HEADER_BYTES:
            return None
        magic, kind, _, answer, session, number, wait, counted, test, port, address = (
            _FORMAT.unpack_from(content)
        )
        if magic != _MAGIC or kind not in {ECHO, ECHO_ANSWER, COUNT, COUNT_ANSWER}:
            return None
        return cls(
            kind=kind,
            session=session,
            test=test,
            number=number,
            answer_bytes=answer,
            wait_ms=wait,
            counted=counted,
            seen_port=port,
            seen_address=IPv4Address(address),
        )

"""What a probe and its server send each other: a header of 32 bytes, filled up with zeros."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORMAT = struct.Struct(">4sBBHIIIIHH4s")
_MAGIC = b"LHP1"

_NOWHERE = IPv4Address(0)

HEADER_BYTES = _FORMAT.size
"""The smallest datagram."""

LONGEST_WAIT_MS = 24 * 3600 * 1000
"""How long a server lets an answer wait at most."""

ECHO, ECHO_ANSWER, COUNT, COUNT_ANSWER, TIMES, TIMES_ANSWER, SINK, OTHER_PORT = range(1, 9)

_TIME = struct.Struct(">I")
_NEVER = 2**32 - 1
"""The time of a number that did not arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Datagram:
    """A request or its answer.

    Attributes
    ----------
    kind
        ``ECHO`` asks for an answer and is counted. ``SINK`` is counted and gets no answer.
        ``COUNT`` asks how many were counted, ``TIMES`` when each of them arrived. ``OTHER_PORT``
        asks for an echo from the other port of the server, and is not counted.
    session, test
        Chosen by the probe: numbers are counted apart for each test of a session.
    number
        Of the request among those of its test; the answer has the same. The first number that
        ``TIMES`` asks for.
    answer_bytes
        How large the answer is to be. It is never larger than the request.
    wait_ms
        How long the server waits before it answers.
    counted
        In answers: how many numbers of the test the server has seen. In answers that waited: how
        many of the test have waited and left before.
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

    def encode(self, size: int, content: bytes = b"") -> bytes:
        """Write it with what follows the header, filled up to a size."""
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
        return (header + content).ljust(size, b"\0")

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
        if magic != _MAGIC or not ECHO <= kind <= OTHER_PORT:
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


def numbers_in(size: int) -> int:
    """Give for how many numbers an answer of a size has their times.

    Examples
    --------
    >>> numbers_in(HEADER_BYTES), numbers_in(HEADER_BYTES + 9)
    (0, 2)
    """
    return max(0, size - HEADER_BYTES) // _TIME.size


def numbers_bytes(count: int) -> int:
    """Give the bytes of the times of numbers."""
    return count * _TIME.size


def encode_times(arrivals: Mapping[int, int], first: int, count: int) -> bytes:
    """Write when numbers arrived, in microseconds, from a number on."""
    times = (min(arrivals.get(number, _NEVER), _NEVER) for number in range(first, first + count))
    return b"".join(map(_TIME.pack, times))


def decode_times(content: bytes, first: int) -> dict[int, int]:
    """Read when numbers arrived, in microseconds; those that did not are left out.

    Examples
    --------
    >>> decode_times(bytes(HEADER_BYTES) + encode_times({4: 0, 6: 250}, 4, 3), 4)
    {4: 0, 6: 250}
    """
    count = numbers_in(len(content))
    read = _TIME.iter_unpack(content[HEADER_BYTES : HEADER_BYTES + count * _TIME.size])
    return {first + place: time for place, (time,) in enumerate(read) if time != _NEVER}

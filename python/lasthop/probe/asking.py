"""The side of the probe: datagrams out, answers in."""

from __future__ import annotations

import errno
import random
import select
import socket
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from lasthop.errors import EnvironmentFailure
from lasthop.probe.datagram import (
    HEADER_BYTES,
    TIMES,
    TIMES_ANSWER,
    Datagram,
    decode_times,
    numbers_bytes,
)
from lasthop.probe.server import keep_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST = 65_535
IP_UDP_BYTES = {socket.AF_INET: 28, socket.AF_INET6: 48}
"""Headers of IP and UDP."""
_NUMBERS_A_QUESTION = 100
"""A question about arrivals, and its answer, pass every path of 512 B."""
TRIES_OF_QUESTION = 10


def question_bytes(count: int) -> int:
    """Give how much one try of all questions about arrivals takes, without headers of IP and UDP.

    Examples
    --------
    >>> question_bytes(100), question_bytes(101)
    (432, 468)
    """
    return question_packets(count) * HEADER_BYTES + numbers_bytes(count)


def question_packets(count: int) -> int:
    """Give how many packets the questions about arrivals are."""
    return -(-count // _NUMBERS_A_QUESTION)


def unreachable(family: int, host: str, error: OSError) -> EnvironmentFailure:
    """Say why there is no way to a server, and what to write instead."""
    if error.errno in _NO_WAY:
        kind = "IPv6" if family == socket.AF_INET6 else "IPv4"
        other = "an IPv4" if family == socket.AF_INET6 else "an IPv6"
        todo = f"this machine has no {kind}; write the name or {other} address of the server"
    else:
        todo = "check the network of this machine"
    return EnvironmentFailure(f"{host}: {error.strerror}; {todo}")


_NO_WAY = {errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


@dataclass(slots=True)
class Meter:
    """Counts what all tests send and receive, in bytes from the IP header on.

    Attributes
    ----------
    most_bytes
        Of both together. What was said beforehand is not exceeded.
    """

    sent_bytes: int = 0
    received_bytes: int = 0
    most_bytes: int | None = None

    @property
    def total_bytes(self) -> int:
        """What was sent and received."""
        return self.sent_bytes + self.received_bytes

    def sent(self, size: int) -> None:
        """Count a packet that is about to leave.

        Raises
        ------
        EnvironmentFailure
            If it would be too much.
        """
        if self.most_bytes is not None and self.total_bytes + size > self.most_bytes:
            raise EnvironmentFailure(
                f"the bound of {self.most_bytes} B is reached; the results so far are kept, and "
                "the same command measures the rest"
            )
        self.sent_bytes += size

    def received(self, size: int) -> None:
        """Count a packet that has come."""
        self.received_bytes += size


@dataclass(slots=True, eq=False)
class Asking:
    """A socket of its own, which a NAT gives a mapping of its own, towards a probe server.

    Attributes
    ----------
    server
        What `socket.getaddrinfo` tells of it.
    session
        A number that tells this probe from others.
    """

    family: int
    address: tuple[str, int]
    session: int
    meter: Meter
    _socket: socket.socket = field(init=False)

    def __post_init__(self) -> None:
        """Open the socket."""
        self._socket = socket.socket(self.family, socket.SOCK_DGRAM)
        keep_whole(self._socket)
        try:
            self._socket.connect(self.address)
        except OSError as error:
            self._socket.close()
            raise unreachable(self.family, self.address[0], error) from error

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the socket."""
        self._socket.close()

    def fileno(self) -> int:
        """Give the descriptor of the socket, for select."""
        return self._socket.fileno()

    @property
    def overhead(self) -> int:
        """Bytes of the headers below."""
        return IP_UDP_BYTES[socket.AddressFamily(self.family)]

    @property
    def own_address(self) -> tuple[str, int]:
        """Address and port of this socket."""
        host, port = self._socket.getsockname()[:2]
        return str(host), int(port)

    def point_at(self, address: tuple[str, int]) -> None:
        """Go on with another port of the server, from the same port of this machine."""
        self.address = address
        self._socket.connect(address)

    def send(self, asked: Datagram, size: int = HEADER_BYTES) -> bool:
        """Send a datagram; whether the kernel took it, which refuses what an interface cannot."""
        self.meter.sent(size + self.overhead)
        try:
            self._socket.send(replace(asked, session=self.session).encode(size))
        except OSError:
            # It is too large, or ICMP has answered an earlier one: this one was not sent.
            self.meter.sent_bytes -= size + self.overhead
            return False
        return True

    def answers(
        self, until: float, *, quiet_s: float = 0.0
    ) -> Iterator[tuple[Datagram, float, int]]:
        """Give the answers that come until an instant: each with its time and size.

        Parameters
        ----------
        quiet_s
            It goes on after that instant, until nothing has come for so long.
        """
        for content, now in self._received(until, quiet_s):
            if (answer := Datagram.decode(content)) is not None:
                yield answer, now, len(content)

    def _received(self, until: float, quiet_s: float = 0.0) -> Iterator[tuple[bytes, float]]:
        while (left := until - time.monotonic()) > 0:
            if not select.select([self._socket], [], [], left)[0]:
                return
            try:
                content = self._socket.recv(_LARGEST)
            except OSError:
                continue
            now = time.monotonic()
            answer = Datagram.decode(content)
            if answer is not None and answer.session == self.session:
                self.meter.received(len(content) + self.overhead)
                until = max(until, now + quiet_s)
                yield content, now

    def arrivals(self, test: int, count: int, *, patience_s: float) -> dict[int, int] | None:
        """Ask the server when numbers of a test arrived, in microseconds after the first one.

        None where it does not answer.
        """
        found: dict[int, int] = {}
        for first in range(0, count, _NUMBERS_A_QUESTION):
            numbers = min(_NUMBERS_A_QUESTION, count - first)
            size = HEADER_BYTES + numbers_bytes(numbers)
            asked = Datagram(kind=TIMES, session=0, test=test, number=first, answer_bytes=size)
            content = self._times(asked, size, patience_s)
            if content is None:
                return None
            found |= decode_times(content, first)
        return found

    def _times(self, asked: Datagram, size: int, patience_s: float) -> bytes | None:
        for _ in range(TRIES_OF_QUESTION):
            self.send(asked, size)
            for content, _ in self._received(time.monotonic() + patience_s):
                answer = Datagram.decode(content)
                if answer is not None and (answer.kind, answer.test, answer.number) == (
                    TIMES_ANSWER,
                    asked.test,
                    asked.number,
                ):
                    return content
        return None

    def exchange(
        self, asked: Datagram, *, size: int = HEADER_BYTES, tries: int = 3, patience_s: float = 2.0
    ) -> Datagram | None:
        """Send a datagram until its answer comes; None if none did."""
        for _ in range(tries):
            self.send(asked, size)
            for answer, _, _ in self.answers(time.monotonic() + patience_s):
                if (answer.test, answer.number) == (asked.test, asked.number):
                    return answer
        return None


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a probe server, and the session of this probe."""

    family: int
    address: tuple[str, int]
    session: int
    meter: Meter
    written: str

    @classmethod
    def find(cls, host: str, port: int, *, written: str) -> Server:
        """Look up the address.

        Raises
        ------
        EnvironmentFailure
            If the host is not known.
        """
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        except OSError as error:
            raise EnvironmentFailure(
                f"{host}: {error.strerror}; write the name or the address of a host"
            ) from error
        drawn = random.SystemRandom().randrange(2**32)
        return cls(family, (str(address[0]), int(address[1])), drawn, Meter(), written)

    @property
    def overhead(self) -> int:
        """Bytes of the headers below a datagram."""
        return IP_UDP_BYTES[socket.AddressFamily(self.family)]

    def ask(self) -> Asking:
        """Open a socket towards it."""
        return Asking(self.family, self.address, self.session, self.meter)

"""The side of the probe: datagrams out, answers in."""

from __future__ import annotations

import random
import select
import socket
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from lasthop.errors import EnvironmentFailure
from lasthop.probe.datagram import HEADER_BYTES, Datagram
from lasthop.probe.server import keep_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST = 65_535
IP_UDP_BYTES = {socket.AF_INET: 28, socket.AF_INET6: 48}
"""Headers of IP and UDP."""


@dataclass(slots=True)
class Meter:
    """Counts what all tests send and receive, in bytes from the IP header on."""

    sent_bytes: int = 0
    received_bytes: int = 0


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
            raise EnvironmentFailure(
                f"{self.address[0]}: {error.strerror}; check the network of this machine"
            ) from error

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

    def send(self, asked: Datagram, size: int = HEADER_BYTES) -> bool:
        """Send a datagram; whether the kernel took it, which refuses what an interface cannot."""
        try:
            self._socket.send(replace(asked, session=self.session).encode(size))
        except ConnectionRefusedError:
            # The answer of ICMP to an earlier one; this one was not sent.
            return False
        except OSError:
            return False
        self.meter.sent_bytes += size + self.overhead
        return True

    def answers(self, until: float) -> Iterator[tuple[Datagram, float, int]]:
        """Give the answers that come until an instant: each with its time and size."""
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
                self.meter.received_bytes += len(content) + self.overhead
                yield answer, now, len(content)

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

    @classmethod
    def find(cls, host: str, port: int) -> Server:
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
        return cls(family, (str(address[0]), int(address[1])), drawn, Meter())

    @property
    def overhead(self) -> int:
        """Bytes of the headers below a datagram."""
        return IP_UDP_BYTES[socket.AddressFamily(self.family)]

    def ask(self) -> Asking:
        """Open a socket towards it."""
        return Asking(self.family, self.address, self.session, self.meter)

"""aioquic as a client on a socket of this machine, one step after another."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import (
    ConnectionTerminated,
    HandshakeCompleted,
    QuicEvent,
    StreamDataReceived,
)
from aioquic.quic.logger import QuicLogger
from aioquic.tls import SessionTicket
from benchmarks.closing import Closing

LARGEST_DATAGRAM = 65_535
PATIENCE_S = 60.0


class QuicClient(Closing):
    """A connection that keeps what it is told.

    With a ticket, what is said before the first step goes as early data.
    """

    def __init__(
        self,
        place: tuple[str, int],
        authority: Path,
        *,
        ticket: SessionTicket | None = None,
        protocol: str = "mqtt",
    ) -> None:
        self.place = place
        self.log = QuicLogger()
        self.tickets: list[SessionTicket] = []
        self.shaken: HandshakeCompleted | None = None
        self.ended: ConnectionTerminated | None = None
        self.heard = b""
        self.first_flight: list[bytes] = []
        configuration = QuicConfiguration(
            alpn_protocols=[protocol],
            server_name=place[0],
            quic_logger=self.log,
            session_ticket=ticket,
        )
        configuration.load_verify_locations(str(authority))
        self.quic = QuicConnection(
            configuration=configuration, session_ticket_handler=self.tickets.append
        )
        self.socket = new_socket(place)
        self.quic.connect(place, now=time.monotonic())

    def close(self) -> None:
        """Say that it is over, and wait for nothing."""
        self.quic.close()
        self.send()
        self.socket.close()

    def say(self, packet: bytes) -> None:
        """Say something on the first stream."""
        self.quic.send_stream_data(0, packet)

    def ask(self, packet: bytes, answer: bytes) -> None:
        """Say something, and wait until its answer has come."""
        self.say(packet)
        self.wait_for(answer)

    def wait_for(self, answer: bytes) -> None:
        """Wait for the next bytes of the first stream."""
        self.until(lambda: len(self.heard) >= len(answer))
        if not self.heard.startswith(answer):
            raise AssertionError(self.heard)
        self.heard = self.heard.removeprefix(answer)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Go on until something is so."""
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() >= end or self.ended is not None:
                raise AssertionError(f"it did not come; ended: {self.ended}")
            self.step()

    def until_the_end(self) -> ConnectionTerminated:
        """Go on until the server ends it."""
        with contextlib.suppress(AssertionError):
            self.until(lambda: False)
        if self.ended is None:
            raise AssertionError("the server does not end it")
        return self.ended

    def step(self) -> None:
        """Send what there is to send, and take a datagram or the next timer."""
        self.send()
        now = time.monotonic()
        timer = self.quic.get_timer()
        self.socket.settimeout(min(max((timer or now + 1) - now, 1e-3), 1))
        try:
            datagram = self.socket.recv(LARGEST_DATAGRAM)
            self.quic.receive_datagram(datagram, self.place, now=time.monotonic())
        except ConnectionRefusedError:
            pass  # Nobody is there any more; what was said before is read next.
        except TimeoutError:
            if timer is not None and timer <= time.monotonic():
                self.quic.handle_timer(now=time.monotonic())
        for event in self.events():
            self.take(event)

    def send(self) -> None:
        """Send what there is to send."""
        for datagram, _ in self.quic.datagrams_to_send(now=time.monotonic()):
            with contextlib.suppress(ConnectionRefusedError):
                self.socket.send(datagram)
            if self.shaken is None:
                self.first_flight.append(datagram)

    def events(self) -> Iterator[QuicEvent]:
        """Give what has happened."""
        while (event := self.quic.next_event()) is not None:
            yield event

    def take(self, event: QuicEvent) -> None:
        """Keep what has happened."""
        if isinstance(event, HandshakeCompleted):
            self.shaken = event
        elif isinstance(event, ConnectionTerminated):
            self.ended = event
        elif isinstance(event, StreamDataReceived) and event.stream_id == 0:
            self.heard += event.data

    def rebind(self) -> None:
        """Go on from another port; the old one is closed at once."""
        self.socket.close()
        self.socket = new_socket(self.place)

    def has_heard_a_retry(self) -> bool:
        """Tell whether the server asked where it is."""
        (trace,) = self.log.to_dict()["traces"]
        received = [it for it in trace["events"] if it["name"] == "transport:packet_received"]
        return any(it["data"]["header"]["packet_type"] == "retry" for it in received)


def new_socket(place: tuple[str, int]) -> socket.socket:
    """Return a socket at a port of its own that hears this place alone."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.connect(place)
    opened.settimeout(PATIENCE_S)
    return opened

"""Measure how long our MQTT broker works on a connection and on a message: a study's service_time.

`lasthop serve mqtt` is asked over TCP, TLS 1.3 and QUIC by clients of other libraries (OpenSSL by
way of Python, aioquic), one after the other: each connects, subscribes and leaves; then one
publishes with QoS 1 what comes back to it, one message after the other. What counts is what the
broker alone is on a processor, with what the kernel does in its name. Certificates are of ECDSA on
P-256. Figures are medians of the turns with the smallest and the largest value.

    .venv/bin/python -m benchmarks.server_work
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from benchmarks.certificates import Credentials, make
from benchmarks.closing import Closing
from benchmarks.quic_client import QuicClient
from benchmarks.serve_beside_mosquitto import ROOT, cpu_ns, say, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aioquic.tls import SessionTicket

EXIT_ENVIRONMENT = 4

TOPIC = bytes([0, 4]) + b"work"
CONNACK = b"\x20\x02\x00\x00"
DISCONNECT = b"\xe0\x00"
CONNECT = bytes([0x10, 14, 0, 4]) + b"MQTT" + bytes([4, 2, 0, 60, 0, 2]) + b"me"
SUBSCRIBE = bytes([0x82, 9, 0, 1]) + TOPIC + bytes([1])
PUBLISH = bytes([0x32, 72]) + TOPIC + bytes([0, 2]) + b"x" * 64
SUBACK = bytes([0x90, 3, 0, 1, 1])


class Client(Protocol):
    """A connection that is asked and answers."""

    def say(self, packet: bytes) -> None:
        """Send something."""

    def hear(self, count: int) -> bytes:
        """Wait for so many bytes."""


class StreamClient(Closing):
    """A connection over TCP, or over TLS where it has a context."""

    def __init__(
        self, place: tuple[str, int], context: ssl.SSLContext | None, session: ssl.SSLSession | None
    ) -> None:
        plain = socket.create_connection(place)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = plain
        if context is not None:
            self.socket = context.wrap_socket(plain, server_hostname=place[0], session=session)

    def close(self) -> None:
        """Close it."""
        self.socket.close()

    def say(self, packet: bytes) -> None:
        """Send something."""
        self.socket.sendall(packet)

    def hear(self, count: int) -> bytes:
        """Wait for so many bytes."""
        heard = b""
        while len(heard) < count:
            more = self.socket.recv(count - len(heard))
            if not more:
                raise ConnectionError("the broker has closed")
            heard += more
        return heard


class QuicStream(QuicClient):
    """A connection over QUIC."""

    def hear(self, count: int) -> bytes:
        """Wait for so many bytes."""
        self.until(lambda: len(self.heard) >= count)
        heard, self.heard = self.heard[:count], self.heard[count:]
        return heard


class Broker:
    """`lasthop serve mqtt` over TCP, TLS and QUIC."""

    def __init__(
        self, process: subprocess.Popen[bytes], urls: list[str], files: Credentials
    ) -> None:
        self.process, self.files = process, files
        parts = [urlsplit(url) for url in urls]
        self.places = {part.scheme: (part.hostname or "", part.port or 0) for part in parts}
        self.context = ssl.create_default_context(cafile=str(files.authority))
        self.session: ssl.SSLSession | None = None
        self.ticket: SessionTicket | None = None

    def tcp(self) -> StreamClient:
        """Connect in plain."""
        return StreamClient(self.places["mqtt"], None, None)

    def tls(self) -> StreamClient:
        """Connect by a full handshake of TLS 1.3."""
        return StreamClient(self.places["mqtts"], self.context, None)

    def tls_resumed(self) -> StreamClient:
        """Connect by TLS 1.3 with the ticket of the last connection."""
        return StreamClient(self.places["mqtts"], self.context, self.session)

    def quic(self) -> QuicStream:
        """Connect by a full handshake of QUIC."""
        return QuicStream(self.places["quic"], self.files.authority)

    def quic_resumed(self) -> QuicStream:
        """Connect by QUIC with a ticket of the last connection; what is said first is early."""
        return QuicStream(self.places["quic"], self.files.authority, ticket=self.ticket)

    def keep_ticket(self, client: StreamClient | QuicStream) -> None:
        """Keep what the next one resumes by."""
        if isinstance(client, QuicStream):
            client.until(lambda: bool(client.tickets))
            self.ticket = client.tickets[-1]
        elif isinstance(client.socket, ssl.SSLSocket):
            self.session = client.socket.session


WAYS = ("tcp", "tls", "tls_resumed", "quic", "quic_resumed")


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=7, help="turns of each way")
    parser.add_argument("--connections", type=int, default=200, help="in a turn")
    parser.add_argument("--messages", type=int, default=1_000, help="in a turn")
    options = parser.parse_args()
    if (openssl := shutil.which("openssl")) is None:
        sys.stderr.write("server_work: openssl is missing; apt-get install openssl\n")
        return EXIT_ENVIRONMENT
    figures: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        files = make(openssl, Path(folder), "ec")
        for _ in range(options.repeat):
            for way in WAYS:
                with broker(files, is_secured=way != "tcp") as serving:
                    connect = getattr(serving, way)
                    begun = of_connections(serving, connect, options.connections)
                    figures[way].append((begun, of_messages(serving, connect, options.messages)))
    say("| µs of the broker on a processor | a connection | a message that comes or goes |")
    say("|---|---|---|")
    for way, found in figures.items():
        connections, messages = zip(*found, strict=True)
        say(f"| {way.replace('_', ', ')} | {spread(connections, 0)} | {spread(messages, 1)} |")
    return 0


def of_connections(
    serving: Broker, connect: Callable[[], StreamClient | QuicStream], count: int
) -> float:
    """Give the microseconds of a connection with CONNECT, SUBSCRIBE and DISCONNECT."""
    subscribe(serving, connect)
    before = cpu_ns(serving.process)
    for _ in range(count):
        subscribe(serving, connect)
    return (cpu_ns(serving.process) - before) / count / 1000


def subscribe(serving: Broker, connect: Callable[[], StreamClient | QuicStream]) -> None:
    """Connect, subscribe and leave."""
    with connect() as client:
        begin(client)
        serving.keep_ticket(client)
        client.say(DISCONNECT)


def begin(client: Client) -> None:
    """Connect and subscribe, as MQTT has it."""
    client.say(CONNECT)
    expect(client, CONNACK)
    client.say(SUBSCRIBE)
    expect(client, SUBACK)


def expect(client: Client, answer: bytes) -> None:
    """Wait for an answer."""
    if (heard := client.hear(len(answer))) != answer:
        raise ConnectionError(f"{heard.hex()} came for {answer.hex()}")


def of_messages(
    serving: Broker, connect: Callable[[], StreamClient | QuicStream], count: int
) -> float:
    """Give the microseconds of a message that comes or goes: half of there and back."""
    with connect() as client:
        begin(client)
        before = cpu_ns(serving.process)
        for _ in range(count):
            client.say(PUBLISH)
            heard = client.hear(len(PUBLISH) + 4)
            # Its own PUBACK comes before the message or behind it.
            at = 4 if heard[0] == PUBACK_FIRST else 0
            client.say(bytes([PUBACK_FIRST, 2]) + heard[at + 8 : at + 10])
        spent = cpu_ns(serving.process) - before
        serving.keep_ticket(client)
        client.say(DISCONNECT)
    return spent / count / 2 / 1000


PUBACK_FIRST = 0x40


@contextlib.contextmanager
def broker(files: Credentials, *, is_secured: bool) -> Iterator[Broker]:
    """Serve at free ports, in plain or by TLS and QUIC."""
    schemes = ("mqtts", "quic") if is_secured else ("mqtt",)
    tls = ["--quic", f"--tls-cert={files.certificate}", f"--tls-key={files.key}"]
    listen = [f"--listen={scheme}://127.0.0.1:0" for scheme in schemes]
    options = [*listen, *(tls if is_secured else ())]
    command = [str(ROOT / ".venv/bin/lasthop"), "serve", "mqtt", *options, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        said = process.stdout.readline() if process.stdout else b""
        yield Broker(process, json.loads(said)["listening"], files)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())

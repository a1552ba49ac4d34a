"""Servers that answer what they get, for links before them."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

Address = tuple[str, int]


class Echo:
    """A server that sends back what comes by TCP and UDP, each at one port of this machine."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.address: Address = self.tcp.getsockname()[:2]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(self.address)
        for work in (self._accept, self._answer):
            threading.Thread(target=work, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                accepted, _ = self.tcp.accept()
                threading.Thread(target=self._echo, args=(accepted,), daemon=True).start()

    def _echo(self, accepted: socket.socket) -> None:
        with accepted, suppress(OSError):
            while read := accepted.recv(65_536):
                accepted.sendall(read)
            accepted.shutdown(socket.SHUT_WR)

    def _answer(self) -> None:
        with suppress(OSError):
            while True:
                read, peer = self.udp.recvfrom(65_536)
                if peer is None:  # it was shut down
                    return
                self.udp.sendto(read, peer)

    def close(self) -> None:
        """Close the sockets."""
        for each in (self.tcp, self.udp):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@pytest.fixture
def echo() -> Iterator[Echo]:
    """Start a server that sends back what it gets."""
    server = Echo()
    yield server
    server.close()


def exchange(address: Address, content: bytes, *, timeout: float = 60) -> bytes:
    """Send bytes by TCP, say that they have ended, and read what comes until it ends."""
    with socket.create_connection(address, timeout=timeout) as client:
        sender = threading.Thread(target=_send, args=(client, content))
        sender.start()
        read = bytearray()
        while piece := client.recv(65_536):
            read += piece
        sender.join()
    return bytes(read)


def _send(client: socket.socket, content: bytes) -> None:
    client.sendall(content)
    client.shutdown(socket.SHUT_WR)


def answered(address: Address, numbers: range, *, patience: float = 1.0) -> set[int]:
    """Send a datagram for each number, and give those that came back."""
    back: set[int] = set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(address)
        for number in numbers:
            client.send(str(number).encode())
        client.settimeout(patience)
        with suppress(TimeoutError):
            while len(back) < len(numbers):
                back.add(int(client.recv(100)))
    return back

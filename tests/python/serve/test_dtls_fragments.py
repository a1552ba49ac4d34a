"""A first message of DTLS 1.3 that comes in fragments, as one with a share of ML-KEM does."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make

from .conftest import FindProgram, RunClient, StartServer
from .test_tls_peers import secured

HANDSHAKE, CLIENT_HELLO = 22, 1
RECORD_HEADER, MESSAGE_HEADER = 13, 12
FRAGMENT_BYTES = 60
RECORDS = 64
"""Each record of the client becomes at most so many."""

Order = Callable[[list[bytes]], list[bytes]]
ORDERS: dict[str, Order] = {
    "in order": lambda parts: parts,
    "backwards": lambda parts: parts[::-1],
    "each twice": lambda parts: [part for part in parts for _ in range(2)],
    "in one datagram": lambda parts: [b"".join(parts)],
}


@pytest.fixture
def ours(tmp_path: Path, find_program: FindProgram) -> Credentials:
    (folder := tmp_path / "ours").mkdir()
    return make(find_program("openssl", "openssl"), folder, "ec")


def in_fragments(datagram: bytes) -> list[bytes]:
    """Divide a ClientHello; the records of all others only get other numbers."""
    number = int.from_bytes(datagram[5:11]) * RECORDS
    kind, version = datagram[:1], datagram[1:5]
    if datagram[0] != HANDSHAKE or datagram[RECORD_HEADER] != CLIENT_HELLO:
        return [kind + version + number.to_bytes(6) + datagram[11:]]
    message = datagram[RECORD_HEADER:]
    head, body = message[:6], message[MESSAGE_HEADER:]
    parts = []
    for index, start in enumerate(range(0, len(body), FRAGMENT_BYTES)):
        part = body[start : start + FRAGMENT_BYTES]
        fragment = head + start.to_bytes(3) + len(part).to_bytes(3) + part
        record = kind + version + (number + index).to_bytes(6) + len(fragment).to_bytes(2)
        parts.append(record + fragment)
    assert len(parts) < RECORDS
    return parts


@contextmanager
def relay(port: int, order: Order) -> Iterator[tuple[int, list[int]]]:
    """Pass datagrams on, ClientHellos in fragments; give the port and the counts of fragments."""
    counts: list[int] = []
    front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    front.bind(("127.0.0.1", 0))
    back.connect(("127.0.0.1", port))
    clients: list[tuple[str, int]] = []

    def forwards() -> None:
        while (datagram := front.recvfrom(4096))[0]:
            clients[:] = [datagram[1]]
            # What is sealed has another kind of header, and passes as it is.
            is_clear = datagram[0][0] in {20, 21, HANDSHAKE}
            parts = in_fragments(datagram[0]) if is_clear else [datagram[0]]
            if len(parts) > 1:
                counts.append(len(parts))
                parts = order(parts)
            for part in parts:
                back.send(part)

    def backwards() -> None:
        while datagram := back.recv(4096):
            front.sendto(datagram, clients[0])

    threads = [threading.Thread(target=work, daemon=True) for work in (forwards, backwards)]
    for thread in threads:
        thread.start()
    try:
        yield front.getsockname()[1], counts
    finally:
        # An empty datagram ends each of them.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.sendto(b"", front.getsockname())
        back.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(10)
        front.close()
        back.close()


@pytest.mark.parametrize("order", ORDERS)
def test_a_hello_in_fragments_is_answered(
    serve: StartServer, lasthop: RunClient, ours: Credentials, order: str
) -> None:
    server = serve("coap", *secured(ours), "--dtls=1.3")
    with relay(server.port, ORDERS[order]) as (port, counts):
        url = f"coaps://127.0.0.1:{port}/.well-known/core"
        done = lasthop("get", url, f"--cafile={ours.authority}", "--dtls=1.3")
    assert (done.returncode, done.stderr) == (0, "")
    # Without a cookie and with it.
    assert len(counts) >= 2
    assert min(counts) > 1

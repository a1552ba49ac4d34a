"""Datagrams that no client should send, and clients that want too much, at `serve mqtt --quic`."""

import contextlib
import random
import socket
import time
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials
from benchmarks.quic_client import LARGEST_DATAGRAM, QuicClient, new_socket
from tests.python.serve.conftest import PATIENCE_S, RunClient, Server, StartServer

from .conftest import CONNACK, CONNECT

VERSION_1 = b"\x00\x00\x00\x01"
GREASE = b"\x1a\x2a\x3a\x4a"
SMALLEST_INITIAL = 1200


def first_flight(place: tuple[str, int], authority: Path, size: int) -> bytes:
    """Return the first datagram of a client, of so many bytes."""
    with contextlib.closing(new_socket(place)) as nobody:
        client = QuicClient(place, authority)
        client.socket.close()
        client.socket = nobody
        client.quic._max_datagram_size = size
        ((datagram, _),) = client.quic.datagrams_to_send(now=time.monotonic())
    assert len(datagram) == size
    return bytes(datagram)


def answer_to(place: tuple[str, int], datagram: bytes) -> bytes:
    """Return the first answer to a datagram."""
    with contextlib.closing(new_socket(place)) as opened:
        opened.send(datagram)
        return opened.recv(LARGEST_DATAGRAM)


def is_silent(opened: socket.socket) -> bool:
    """Tell whether nothing has come."""
    opened.settimeout(0)
    try:
        opened.recv(LARGEST_DATAGRAM)
    except BlockingIOError:
        return True
    return False


def test_who_asks_for_another_version_is_told_which_there_are(server: Server) -> None:
    ours, theirs = b"12345678", b"abcdefgh"
    ids = bytes([len(theirs)]) + theirs + bytes([len(ours)]) + ours
    asked = (b"\xc0" + GREASE + ids).ljust(SMALLEST_INITIAL, b"\0")
    answer = answer_to(server.place("quic"), asked)
    swapped = bytes([len(ours)]) + ours + bytes([len(theirs)]) + theirs
    assert answer[0] & 0x80
    assert answer[1:].startswith(bytes(4) + swapped)
    offered = answer[5 + len(swapped) :]
    versions = [offered[at : at + 4] for at in range(0, len(offered), 4)]
    assert VERSION_1 in versions
    assert GREASE not in versions


def test_a_first_datagram_that_is_too_small_begins_nothing(
    server: Server,
    files: Credentials,
) -> None:
    place = server.place("quic")
    with contextlib.closing(new_socket(place)) as opened:
        opened.send(first_flight(place, files.authority, SMALLEST_INITIAL - 1))
        # Who comes later is answered, and so the first one was not.
        assert answer_to(place, first_flight(place, files.authority, SMALLEST_INITIAL))
        assert is_silent(opened)


def test_of_noise_and_damaged_datagrams_nothing_comes(
    server: Server,
    files: Credentials,
) -> None:
    place = server.place("quic")
    noise = random.Random(7)  # noqa: S311  it keeps nothing secret
    good = first_flight(place, files.authority, SMALLEST_INITIAL)
    with contextlib.closing(new_socket(place)) as opened:
        for size in [0, 1, 20, 1199, 1200, 1500, 65_507]:
            opened.send(noise.randbytes(size))
            opened.send(bytes([noise.randrange(0x40)]) + noise.randbytes(size)[1:])
        for _ in range(100):
            damaged = bytearray(good)
            damaged[noise.randrange(len(good))] ^= 1 << noise.randrange(8)
            opened.send(damaged)
    with QuicClient(place, files.authority) as client:
        client.ask(CONNECT, CONNACK)


def test_a_connection_that_the_server_forgot_is_reset(
    server: Server,
    files: Credentials,
) -> None:
    with QuicClient(server.place("quic"), files.authority) as client:
        client.ask(CONNECT, CONNACK)
        known = client.quic._peer_cid
        client.quic.close()
        client.send()
        unknown = b"\x40" + known.cid + bytes(100)
        client.socket.settimeout(0.05)
        end, answer = time.monotonic() + PATIENCE_S, b""
        # For a while it remembers that it has ended.
        while not answer.endswith(known.stateless_reset_token):
            assert time.monotonic() < end
            client.socket.send(unknown)
            with contextlib.suppress(TimeoutError):
                answer = client.socket.recv(LARGEST_DATAGRAM)
        assert len(answer) < len(unknown)


@pytest.mark.parametrize(
    "limit", ["connections", "connections_per_address", "handshakes_per_address"]
)
def test_one_too_many_is_refused(
    start: StartServer,
    lasthop: RunClient,
    files: Credentials,
    limit: str,
) -> None:
    server = start(f"--limit={limit}=2", "--limit=connect_time=3600")
    place = server.place("quic")
    publish = ("pub", f"{server.urls[1]}/door", "open", f"--cafile={files.authority}")
    is_of_handshakes = limit.startswith("handshakes")
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(QuicClient(place, files.authority)) for _ in range(2)]
        for client in clients:
            if is_of_handshakes:
                # The answer shows that the server knows of him.
                client.send()
                client.quic.receive_datagram(
                    client.socket.recv(LARGEST_DATAGRAM), place, now=time.monotonic()
                )
            else:
                client.until(lambda: client.shaken is not None)  # noqa: B023  it is asked at once
        refused = lasthop(*publish)
        assert refused.returncode == 4
        (line,) = refused.stderr.splitlines()
        assert "refuses the connection" in line
        clients[0].quic.close()
        clients[0].send()
        # The server has heard that before it hears who asks now.
        assert lasthop(*publish).returncode == 0
        # And it has the place back.
        assert lasthop(*publish).returncode == 0

"""Our TCP against the kernel's: whole bytes in order, both ways, with and without loss."""

import socket
from typing import Any

import pytest

from lasthop.testbed import Namespace

from .conftest import KERNEL, OURS, StartHost
from .sockets import tcp_socket

PORT = 4000
LINKS = {
    "no loss": {},
    "5 % loss": {"loss": 0.05, "delay_ms": 5},
    "20 % loss": {"loss": 0.2, "delay_ms": 5},
}
BULK = {"no loss": 2_000_000, "5 % loss": 200_000, "20 % loss": 30_000}


@pytest.fixture(params=list(LINKS))
def link(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def sequence(length: int) -> bytes:
    """Give the bytes that our host sends and expects."""
    period = bytes(range(251))
    return (period * (length // len(period) + 1))[:length]


def exchange(peer: socket.socket, size: int) -> bytes:
    """Send to our host, finish, and read until it has finished."""
    peer.sendall(sequence(size))
    peer.shutdown(socket.SHUT_WR)
    return read_all(peer)


def read_all(peer: socket.socket) -> bytes:
    parts = list(iter(lambda: peer.recv(1 << 16), b""))
    return b"".join(parts)


def assert_whole(told: list[dict[str, Any]], *, sent: int, received: int) -> None:
    assert told == [{"sent": sent, "received": received, "intact": True, "closed": "Finished"}]


@pytest.mark.soak
def test_we_connect(namespace: Namespace, live_host: StartHost, link: str) -> None:
    size = BULK[link]
    with tcp_socket(namespace) as listener:
        listener.bind((KERNEL, PORT))
        listener.listen()
        host = live_host("tcp", "connect", f"{KERNEL}:{PORT}", size, **LINKS[link])
        peer, _ = listener.accept()
        with peer:
            peer.settimeout(120)
            assert exchange(peer, size // 2) == sequence(size)
    assert_whole(host.finish(), sent=size, received=size // 2)


@pytest.mark.soak
def test_we_accept(namespace: Namespace, live_host: StartHost, link: str) -> None:
    size = BULK[link]
    host = live_host("tcp", "accept", PORT, size, **LINKS[link])
    with tcp_socket(namespace) as peer:
        peer.connect((OURS, PORT))
        assert exchange(peer, size // 2) == sequence(size)
    assert_whole(host.finish(), sent=size, received=size // 2)


@pytest.mark.soak
def test_both_send_at_the_same_time(namespace: Namespace, live_host: StartHost, link: str) -> None:
    size = BULK[link]
    host = live_host("tcp", "accept", PORT, size, **LINKS[link])
    with tcp_socket(namespace) as peer:
        peer.connect((OURS, PORT))
        assert exchange(peer, size) == sequence(size)
    assert_whole(host.finish(), sent=size, received=size)


@pytest.mark.soak
def test_a_thin_stream(namespace: Namespace, live_host: StartHost, link: str) -> None:
    host = live_host("tcp", "accept", PORT, 5000, 50, 10, **LINKS[link])
    with tcp_socket(namespace) as peer:
        peer.connect((OURS, PORT))
        assert exchange(peer, 0) == sequence(5000)
    assert_whole(host.finish(), sent=5000, received=0)


@pytest.mark.soak
def test_we_answer_after_the_peer_has_finished(
    namespace: Namespace, live_host: StartHost, link: str
) -> None:
    host = live_host("tcp", "accept", PORT, 20_000, "answer", **LINKS[link])
    with tcp_socket(namespace) as peer:
        peer.connect((OURS, PORT))
        assert exchange(peer, 10_000) == sequence(20_000)
    assert_whole(host.finish(), sent=20_000, received=10_000)


@pytest.mark.soak
def test_the_peer_answers_after_we_have_finished(
    namespace: Namespace, live_host: StartHost, link: str
) -> None:
    host = live_host("tcp", "accept", PORT, 10_000, **LINKS[link])
    with tcp_socket(namespace) as peer:
        peer.connect((OURS, PORT))
        assert read_all(peer) == sequence(10_000)
        peer.sendall(sequence(20_000))
    assert_whole(host.finish(), sent=10_000, received=20_000)


def test_a_closed_port_is_refused(live_host: StartHost) -> None:
    (told,) = live_host("tcp", "connect", f"{KERNEL}:{PORT}", 100).finish()
    assert told["closed"] == "PeerReset"

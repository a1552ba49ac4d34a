"""Each listener with TLS ends its connections by an alert, whatever they end for."""

import contextlib
import signal
import socket
import ssl
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make

from .conftest import PATIENCE_S, FindProgram, Server, StartServer

ALERT, HANDSHAKE = 21, 22
CLOSE_NOTIFY, DECODE_ERROR, INTERNAL_ERROR = b"\x01\x00", b"\x02\x32", b"\x02\x50"
SCHEMES = ("mqtts", "coaps+tcp", "wss")
MOST_HANDSHAKES = 3


@pytest.fixture
def files(tmp_path: Path, find_program: FindProgram) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


@pytest.fixture
def server(serve: StartServer, files: Credentials) -> Server:
    return serve(
        "mqtt coap_tcp",
        "--ws",
        f"--tls-cert={files.certificate}",
        f"--tls-key={files.key}",
        "--limit=connect_time=1",
        f"--limit=handshakes_per_address={MOST_HANDSHAKES}",
        listen=tuple(f"{scheme}://127.0.0.1:0" for scheme in SCHEMES),
    )


def secured(
    server: Server, files: Credentials, scheme: str, version: ssl.TLSVersion
) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(files.authority))
    context.maximum_version = version
    plain = socket.create_connection(server.place(scheme), timeout=PATIENCE_S)
    # A connection that ends without close_notify raises SSLEOFError.
    return context.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False)


def read_to_close_notify(connection: ssl.SSLSocket) -> None:
    with connection:
        while connection.recv(65536):
            pass


def plain_end(connection: socket.socket) -> bytes:
    """Read to the end; give the last alert that nobody has sealed."""
    heard = b""
    with connection, contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            heard += part
    assert heard[:1] == bytes([ALERT]), heard
    return heard[5:]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_is_silent_or_speaks_nonsense_hears_close_notify(
    server: Server, files: Credentials, scheme: str, version: ssl.TLSVersion
) -> None:
    for said in (b"", b"\xff" * 20, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"):
        connection = secured(server, files, scheme, version)
        connection.sendall(said)
        read_to_close_notify(connection)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_ends_without_close_notify_hears_one(
    server: Server, files: Credentials, scheme: str
) -> None:
    connection = secured(server, files, scheme, ssl.TLSVersion.TLSv1_3)
    with socket.socket(fileno=connection.fileno()) as below:
        below.shutdown(socket.SHUT_WR)
        below.detach()
    read_to_close_notify(connection)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_handshake_that_fails_or_takes_too_long_ends_by_an_alert(
    server: Server, scheme: str
) -> None:
    for said, alert in (
        (b"", CLOSE_NOTIFY),
        (b"\x16\x03\x01\x02\x00\x01", CLOSE_NOTIFY),
        (b"\xff" * 30, DECODE_ERROR),
    ):
        connection = socket.create_connection(server.place(scheme), timeout=PATIENCE_S)
        connection.sendall(said)
        assert plain_end(connection) == alert


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_handshake_too_many_is_refused_by_an_alert(server: Server, scheme: str) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_HANDSHAKES):
            held = socket.create_connection(server.place(scheme), timeout=PATIENCE_S)
            stack.enter_context(held)
        connection = socket.create_connection(server.place(scheme), timeout=PATIENCE_S)
        assert plain_end(connection) == INTERNAL_ERROR


def test_a_server_that_stops_says_close_notify(server: Server, files: Credentials) -> None:
    connections = [secured(server, files, scheme, ssl.TLSVersion.TLSv1_3) for scheme in SCHEMES]
    server.process.send_signal(signal.SIGTERM)
    for connection in connections:
        read_to_close_notify(connection)

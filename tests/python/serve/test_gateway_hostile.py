"""A gateway on sockets, attacked by HTTP: who plays with it is refused, and others are served."""

import contextlib
import socket
import struct
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, RunClient, Server, StartServer
from .test_gateway import Device, add, log

EVENT = b'{"binary_data": "eA"}'
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, RST_STREAM, HEADERS, CONTINUATION, WINDOW_UPDATE = 4, 3, 1, 9, 8
GET = b"\x82\x86\x84\x41\x01b"
"""The fields of a request in HPACK: GET, http, /, and an authority."""


@pytest.fixture
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def server(serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device) -> Server:
    add(lasthop, tmp_path / "gateway", device)
    places = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
    data = f"--data={tmp_path / 'gateway'}"
    hurry = ("--limit=connect_time=3", "--limit=message_time=2")
    return serve("gateway", "--http", data, *hurry, listen=places)


def connect(server: Server) -> socket.socket:
    return socket.create_connection(server.place("http"), timeout=PATIENCE_S)


def send(server: Server, said: bytes) -> bytes:
    """Say something, and give all that comes until the end of the connection."""
    with connect(server) as stream:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            stream.sendall(said)
        return heard(stream)


def heard(stream: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := stream.recv(65536):
            found += part
    return found


def post(device: Device, path: str, fields: str = "", body: bytes = EVENT) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer {device.token()}\r\n"
        f"Connection: close\r\n{fields}"
    )
    if "Transfer-Encoding" not in fields:
        head += f"Content-Length: {len(body)}\r\n"
    return f"{head}\r\n".encode() + body


def frame(kind: int, flags: int, stream: int, body: bytes) -> bytes:
    return (
        struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body
    )


def is_served(server: Server, device: Device) -> bool:
    said = send(server, post(device, f"/v1/{device.path}:publishEvent"))
    return said.startswith(b"HTTP/1.1 200 ")


def test_no_path_leads_around_the_name_of_a_device(
    server: Server, device: Device, lasthop: RunClient, tmp_path: Path
) -> None:
    good = f"/v1/{device.path}:publishEvent"
    assert is_served(server, device)
    other = device.path.replace("/d1", "/d2")
    for path in (
        good.replace("/devices/", "/devices/../devices/"),
        f"/v1/../v1/{device.path}:publishEvent",
        f"/v1/{device.path}/../d2:publishEvent",
        f"/v1/{other}/../d1:publishEvent",
        f"/v1/{device.path}/%2e%2e/d2:publishEvent",
        good.replace("/devices/", "//devices/"),
        good.replace("d1", "%64%32"),
        good.replace("d1", "d1%00"),
        good.replace("d1", "d1%2f..%2fd2"),
        f"/v1/{other}:publishEvent",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
    ):
        _, status, _ = send(server, post(device, path)).split(b" ", 2)
        assert status in {b"400", b"401", b"404"}, path
    assert [row["device"] for row in log(lasthop, tmp_path / "gateway")] == [device.path]


def test_what_could_be_two_requests_is_none(
    server: Server, device: Device, lasthop: RunClient, tmp_path: Path
) -> None:
    good = f"/v1/{device.path}:publishEvent"
    inner = post(device, good).replace(b"Connection: close\r\n", b"")
    chunks = b"0\r\n\r\n" + inner
    for name, said in {
        "a length beside chunks": post(
            device, good, f"Content-Length: {len(chunks)}\r\nTransfer-Encoding: chunked\r\n", chunks
        ),
        "two lengths": post(device, good, "Content-Length: 0\r\n"),
        "a coding that is nearly one": post(
            device, good, "Transfer-Encoding: xchunked\r\n", chunks
        ),
        "a signed chunk": post(device, good, "Transfer-Encoding: chunked\r\n", b"+5\r\nhello\r\n"),
        "a chunk beyond its length": post(
            device, good, "Transfer-Encoding: chunked\r\n", b"2\r\nhello\r\n0\r\n\r\n"
        ),
        "a field of a megabyte": post(device, good, f"X: {'x' * 1_000_000}\r\n"),
        "a megabyte of fields": post(device, good, "X: x\r\n" * 170_000),
    }.items():
        answer = send(server, said)
        assert answer == b"" or answer.split(b" ")[1][:1] in {b"4", b"5"}, name
        assert answer.count(b"HTTP/1.1 ") <= 1, name
    assert log(lasthop, tmp_path / "gateway") == []
    assert is_served(server, device)


def test_who_plays_with_frames_is_sent_away_and_another_is_served(
    server: Server, device: Device
) -> None:
    begin = PREFACE + frame(SETTINGS, 0, 0, b"")
    games = {
        "rapid resets": b"".join(
            frame(HEADERS, 5, number, GET) + frame(RST_STREAM, 0, number, b"\0\0\0\x08")
            for number in range(1, 20_001, 2)
        ),
        "a head that never ends": frame(HEADERS, 1, 1, GET)
        + frame(CONTINUATION, 0, 1, b"\x00\x01a\x01b" * 100) * 5_000,
        "a window beyond 31 bits": frame(WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff") * 2,
    }
    for name, game in games.items():
        told = send(server, begin + game)
        assert b"\x07\x00\x00\x00\x00\x00" in told or told == b"", name  # GOAWAY of the connection
        assert is_served(server, device), name


def test_who_is_slow_has_his_time_and_no_more(server: Server, device: Device) -> None:
    request = post(device, f"/v1/{device.path}:publishEvent")
    with connect(server) as stream:
        stream.sendall(request[:40])
        assert is_served(server, device), "while another dawdles"
        assert not heard(stream).startswith(b"HTTP/1.1 2")


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_that_hardly_comes_is_given_up_and_another_is_served(
    server: Server, device: Device, *, is_chunked: bool
) -> None:
    path = f"/v1/{device.path}:publishEvent"
    if is_chunked:
        part = b"1\r\n \r\n"
        begun = post(device, path, "Transfer-Encoding: chunked\r\n", part)
    else:
        part = b" "
        begun = post(device, path, body=part * 5_000)[:-4_999]
    answer, end = b"", time.monotonic() + PATIENCE_S
    with connect(server) as stream, contextlib.suppress(ConnectionError):
        stream.sendall(begun)
        stream.settimeout(0.2)
        while True:
            with contextlib.suppress(TimeoutError):
                heard_now = stream.recv(65536)
                if not heard_now:
                    break
                answer += heard_now
            # Some bytes a second are no progress.
            stream.sendall(part)
            assert is_served(server, device), "while another dawdles"
            assert time.monotonic() < end, "it may take for ever"
    assert not answer.startswith(b"HTTP/1.1 2")


def test_a_slow_body_that_goes_on_is_taken(
    server: Server, device: Device, lasthop: RunClient, tmp_path: Path
) -> None:
    body = EVENT + b" " * 2_000
    request = post(device, f"/v1/{device.path}:publishEvent", body=body)
    head, length = request[: -len(body)], 300
    with connect(server) as stream:
        stream.sendall(head)
        # It takes longer than a body may that does not grow.
        for start in range(0, len(body), length):
            time.sleep(0.4)
            stream.sendall(body[start : start + length])
        assert heard(stream).startswith(b"HTTP/1.1 200 ")
    assert len(log(lasthop, tmp_path / "gateway")) == 1

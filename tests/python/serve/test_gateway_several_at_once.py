"""A device that comes by several connections at once, of each kind of MQTT and HTTP beside."""

import base64
import contextlib
import itertools
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
from aioquic.quic.events import QuicEvent, StreamDataReceived
from benchmarks.certificates import make
from benchmarks.quic_client import QuicClient
from cryptography.hazmat.primitives.asymmetric import ec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_web
from websockets.typing import Subprotocol

from .asking import publish
from .conftest import PATIENCE_S, FindProgram, RunClient, Server, StartServer
from .counting import lost
from .mqtt_packets import CONNACK, PUBACK, packet, say, text
from .test_gateway import Device, add, log

STORM_S = 3.0
# Connections served in it, two of each; a busy machine takes longer.
ENOUGH = 16
SETTLING_S = 1
LIMIT = "--limit=device_messages=1000000"


class Connection(Protocol):
    """A connection of MQTT, whatever it goes by."""

    def say(self, said: bytes) -> None: ...

    def hear(self, size: int) -> bytes:
        """Return the next bytes; fewer where the server ends it."""
        ...


Way = Callable[[], AbstractContextManager[Connection]]


@dataclass
class Stream:
    """One over TCP, in TLS or not."""

    socket: socket.socket

    def say(self, said: bytes) -> None:
        with contextlib.suppress(OSError):
            self.socket.sendall(said)

    def hear(self, size: int) -> bytes:
        heard = b""
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while len(heard) < size and (part := self.socket.recv(size - len(heard))):
                heard += part
        return heard


class QuicStream(QuicClient):
    """One over QUIC."""

    is_over = False

    def take(self, event: QuicEvent) -> None:
        super().take(event)
        self.is_over |= isinstance(event, StreamDataReceived) and event.end_stream

    def hear(self, size: int) -> bytes:
        end = time.monotonic() + PATIENCE_S
        while len(self.heard) < size and not self.is_over and self.ended is None:
            assert time.monotonic() < end
            self.step()
        heard, self.heard = self.heard[:size], self.heard[size:]
        return heard


@dataclass
class WebSocketStream:
    """One over WebSocket, in TLS or not."""

    socket: ClientConnection
    heard: bytes = b""

    def say(self, said: bytes) -> None:
        with contextlib.suppress(ConnectionClosed):
            self.socket.send(said)

    def hear(self, size: int) -> bytes:
        with contextlib.suppress(ConnectionClosed):
            while len(self.heard) < size:
                said = self.socket.recv(PATIENCE_S)
                assert isinstance(said, bytes)
                self.heard += said
        heard, self.heard = self.heard[:size], self.heard[size:]
        return heard


def by_tcp(place: tuple[str, int], authority: Path | None = None) -> Way:
    @contextmanager
    def way() -> Iterator[Connection]:
        with socket.create_connection(place, PATIENCE_S) as plain:
            if authority is None:
                yield Stream(plain)
                return
            context = ssl.create_default_context(cafile=str(authority))
            with context.wrap_socket(plain, server_hostname=place[0]) as secured:
                yield Stream(secured)

    return way


def by_websocket(url: str, authority: Path | None = None) -> Way:
    @contextmanager
    def way() -> Iterator[Connection]:
        context = None if authority is None else ssl.create_default_context(cafile=str(authority))
        with connect_web(url, subprotocols=[Subprotocol("mqtt")], ssl=context) as opened:
            yield WebSocketStream(opened)

    return way


def by_quic(place: tuple[str, int], authority: Path) -> Way:
    return lambda: QuicStream(place, authority)


def url_of(server: Server, scheme: str) -> str:
    host, port = server.place(scheme)
    return f"{scheme}://{host}:{port}"


def connect(device: Device, token: str, will: str) -> bytes:
    """Say who it is, and what to say when it is gone."""
    head = text("MQTT") + bytes([4, 0b1100_1110]) + (60).to_bytes(2)
    last = text(f"/devices/{device.name}/events/will") + text(will)
    body = head + text(device.path) + last + text("unused") + text(token)
    return packet(0x10, body)


def subscribe(device: Device) -> bytes:
    return packet(0x82, (7).to_bytes(2) + text(f"/devices/{device.name}/config") + b"\x01")


@dataclass
class Site:
    """A gateway with two devices."""

    server: Server
    data: Path
    device: Device
    other: Device
    ways: list[Way]
    web: Callable[[str], int]
    """Publishes as the device by HTTP; the status of the answer."""


@pytest.fixture(params=["in the clear", "secured"])
def site(
    request: pytest.FixtureRequest,
    serve: StartServer,
    lasthop: RunClient,
    tmp_path: Path,
    find_program: FindProgram,
) -> Site:
    data = tmp_path / "gateway"
    device, other = (Device(it, ec.generate_private_key(ec.SECP256R1())) for it in ("d1", "d2"))
    for it in (device, other):
        add(lasthop, data, it)
    token = device.token()
    options = ("--http", LIMIT, f"--data={data}")
    if request.param == "in the clear":
        plain = ("mqtt://127.0.0.1:0", "ws://127.0.0.1:0", "http://127.0.0.1:0")
        server = serve("gateway", "--ws", *options, listen=plain)
        ways = [by_tcp(server.place("mqtt")), by_websocket(url_of(server, "ws"))]

        def web(said: str) -> int:
            return publish(server, device, token, said.encode())

        return Site(server, data, device, other, ways, web)
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    listen = (
        "mqtts://127.0.0.1:0",
        "https://127.0.0.1:0",
        "quic://127.0.0.1:0",
        "wss://127.0.0.1:0",
    )
    server = serve("gateway", "--quic", "--ws", *options, *tls, listen=listen)
    ways = [
        by_tcp(server.place("mqtts"), files.authority),
        by_quic(server.place("quic"), files.authority),
        by_websocket(url_of(server, "wss"), files.authority),
    ]

    def web_in_tls(said: str) -> int:
        return publish(server, device, token, said.encode(), authority=files.authority)

    return Site(server, data, device, other, ways, web_in_tls)


def test_each_of_eight_connections_ends_the_one_before_whatever_it_comes_by(
    site: Site, lasthop: RunClient
) -> None:
    device, token = site.device, site.device.token()
    done = lasthop("gateway", "config", "set", device.path, "slow", "--data", str(site.data))
    assert done.returncode == 0, done.stderr
    ways = list(itertools.islice(itertools.cycle(site.ways), 8))
    with contextlib.ExitStack() as stack:
        before: Connection | None = None
        for number, way in enumerate(ways):
            connection = stack.enter_context(way())
            connection.say(connect(device, token, f"will {number}"))
            assert connection.hear(4) == CONNACK, number
            connection.say(subscribe(device))
            assert connection.hear(5) == b"\x90\x03\x00\x07\x01"
            connection.say(say(device, f"event {number}"))
            heard = b""
            while not heard.endswith(PUBACK):
                part = connection.hear(1)
                assert part, number
                heard += part
            assert b"slow" in heard, "the configuration came to the newest"
            if before is not None:
                assert before.hear(1) == b"", "the one before is over"
            assert site.web(f"web {number}") == 200, "HTTP is served beside"
            before = connection
    said = payloads(lasthop, site)
    expected = {f"{what} {it}" for what in ("event", "web", "will") for it in range(8)}
    assert set(said) == expected
    assert len(said) == len(expected)


@dataclass
class Storm:
    """What those that evict each other have said and heard."""

    connects: int = 0
    served: int = 0
    acknowledged: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def contend(self, site: Site, number: int, way: Way) -> None:
        """Come, be evicted, and come again after a while that grows where nothing got through."""
        token, pause_s = site.device.token(), 0.01
        draws = random.Random(number)  # noqa: S311  no secret rests on it
        for turn in itertools.count():
            if self.over.wait(pause_s * draws.uniform(0.5, 1)):
                return
            got_through = False
            with way() as connection:
                with self.lock:
                    self.connects += 1
                connection.say(connect(site.device, token, f"will {number}.{turn}"))
                if connection.hear(4) == CONNACK:
                    with self.lock:
                        self.served += 1
                    for count in range(20):
                        said = f"event {number}.{turn}.{count}"
                        connection.say(say(site.device, said))
                        if connection.hear(4) != PUBACK:
                            break
                        got_through = True
                        with self.lock:
                            self.acknowledged.add(said)
            pause_s = 0.01 if got_through else min(2 * pause_s, 0.5)

    def ask(self, site: Site) -> None:
        """Publish by HTTP all the while."""
        for number in itertools.count():
            if self.over.wait(0.01):
                return
            said = f"web {number}"
            status = site.web(said)
            with self.lock:
                if status == 200:
                    self.acknowledged.add(said)
                else:
                    self.failures.append(f"{said}: {status}")

    def report(self, site: Site, way: Way) -> None:
        """Be another device, which nobody evicts."""
        with way() as connection:
            connection.say(connect(site.other, site.other.token(), "other will"))
            if connection.hear(4) != CONNACK:
                self.failures.append("the other device is not served")
            for number in itertools.count():
                if self.over.wait(0.02):
                    return
                said = f"other {number}"
                connection.say(say(site.other, said))
                if connection.hear(4) != PUBACK:
                    self.failures.append(f"{said} is not acknowledged")
                    return
                with self.lock:
                    self.acknowledged.add(said)


def test_a_storm_of_evictions_loses_nothing_and_troubles_nobody_else(
    site: Site, lasthop: RunClient
) -> None:
    # What a gateway opens when it is first used is none of the storm's.
    with site.ways[0]() as connection:
        connection.say(connect(site.other, site.other.token(), "other will"))
        assert connection.hear(4) == CONNACK
    assert site.web("first") == 200
    time.sleep(SETTLING_S)
    before = descriptors(site.server)
    storm = Storm()
    ways = itertools.islice(itertools.cycle(site.ways), 8)
    threads = [
        threading.Thread(target=storm.contend, args=(site, number, way))
        for number, way in enumerate(ways)
    ]
    threads.append(threading.Thread(target=storm.ask, args=(site,)))
    threads.append(threading.Thread(target=storm.report, args=(site, site.ways[0])))
    for thread in threads:
        thread.start()
    time.sleep(STORM_S)
    patience = time.monotonic() + PATIENCE_S
    while storm.served <= ENOUGH and time.monotonic() < patience:
        time.sleep(0.1)
    done = lasthop("gateway", "config", "set", site.device.path, "slow", f"--data={site.data}")
    storm.over.set()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert done.returncode == 0, done.stderr
    assert storm.failures == []
    assert storm.served > ENOUGH, "it was no storm"
    # Whoever comes last is served as if nothing had been.
    with site.ways[-1]() as connection:
        connection.say(connect(site.device, site.device.token(), "last will"))
        assert connection.hear(4) == CONNACK
        connection.say(subscribe(site.device))
        heard = connection.hear(5 + 2 + 2 + len("/devices/d1/config") + 2 + len("slow"))
        assert heard[:5] == b"\x90\x03\x00\x07\x01"
        assert heard[-4:] == b"slow"
        connection.say(say(site.device, "last"))
        assert connection.hear(4) == PUBACK
    end = time.monotonic() + PATIENCE_S
    while descriptors(site.server) > before:
        assert time.monotonic() < end, "connections are left"
        time.sleep(0.1)
    said = payloads(lasthop, site)
    what = f"{storm.connects} connections, {storm.served} served"
    assert lost(what, storm.acknowledged | {"last"}, said) == set()
    wills = [it for it in said if it.startswith("will ")]
    assert len(set(wills)) == len(wills)
    assert storm.served <= len(wills) <= storm.connects


def payloads(lasthop: RunClient, site: Site) -> list[str]:
    return [
        base64.b64decode(str(row["payload_base64"])).decode() for row in log(lasthop, site.data)
    ]


def descriptors(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))

"""Sessions of DTLS whose datagrams come from another address each: our ends, and Scandium's."""

import contextlib
import select
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from .conftest import PATIENCE_S, RunClient, Server, StartServer

IDENTITY = "meter-1"
KEY = "000102030405060708090a0b0c0d0e0f"
CANARY = "the-body-that-nobody-sees"
WITH_CONNECTION_ID = 25
APPLICATION_DATA = 23
JAVA = Path.home() / ".cache/lasthop/java/scandium-3.14.0"


@dataclass(slots=True)
class Translator:
    """Passes datagrams to a server; once a session goes on, each from a port of its own."""

    port: int
    kinds: list[int] = field(default_factory=list)
    """Of the records on the way to the server, by the first of each datagram."""
    mappings: int = 0


@contextlib.contextmanager
def translator(server_port: int) -> Iterator[Translator]:
    inner = socket.socket(type=socket.SOCK_DGRAM)
    inner.bind(("127.0.0.1", 0))
    mine, stop = socket.socketpair()
    found = Translator(inner.getsockname()[1])

    def mapping() -> socket.socket:
        outer = socket.socket(type=socket.SOCK_DGRAM)
        outer.connect(("127.0.0.1", server_port))
        found.mappings += 1
        return outer

    def run() -> None:
        outer, client = mapping(), None
        while True:
            ready, _, _ = select.select([inner, outer, mine], [], [], PATIENCE_S)
            if mine in ready or not ready:
                outer.close()
                return
            if inner in ready:
                datagram, client = inner.recvfrom(1 << 16)
                found.kinds.append(datagram[0])
                if datagram[0] in {WITH_CONNECTION_ID, APPLICATION_DATA}:
                    # The old mapping is gone, and what is sent to it as well.
                    outer.close()
                    outer = mapping()
                outer.send(datagram)
            elif outer in ready and client is not None:
                with contextlib.suppress(ConnectionRefusedError):
                    inner.sendto(outer.recv(1 << 16), client)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield found
    finally:
        stop.send(b"!")
        thread.join(PATIENCE_S)
        for opened in (inner, mine, stop):
            opened.close()


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(f"{IDENTITY}:{KEY}\n", encoding="utf-8")
    path.chmod(0o600)
    return path


@pytest.fixture
def server(serve: StartServer, lasthop: RunClient, key: Path) -> Server:
    server = serve("coap", f"--dtls-psk={key}")
    done = lasthop("put", f"{server.urls[0]}/ps/door", CANARY, f"--psk={key}")
    assert done.returncode == 0, done.stderr
    return server


@pytest.fixture
def scandium() -> tuple[str, ...]:
    java = shutil.which("java")
    if java is None or not (JAVA / "peer.jar").is_file():
        pytest.skip("Scandium is missing; mvn -f tests/java/scandium/pom.xml package")
    assert java is not None
    libraries = f"{JAVA / 'peer.jar'}:{JAVA / 'dependency'}/*"
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    return (java, "-Xmx128m", quiet, "--class-path", libraries, "ScandiumPeer")


def test_our_session_outlives_its_address(server: Server, lasthop: RunClient, key: Path) -> None:
    with translator(server.port) as way:
        done = lasthop("get", f"coaps://127.0.0.1:{way.port}/ps/door", f"--psk={key}")
    assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")
    assert WITH_CONNECTION_ID in way.kinds
    assert way.mappings >= 2


@pytest.mark.smoke("Scandium")
def test_scandium_keeps_its_session_with_our_server_whatever_its_address(
    server: Server, scandium: tuple[str, ...]
) -> None:
    with translator(server.port) as way:
        url = f"coaps://127.0.0.1:{way.port}/ps/door"
        done = subprocess.run(
            [*scandium, "get", url, IDENTITY, KEY],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (done.returncode, done.stdout) == (0, f"{CANARY}\n"), done.stderr
    # Three requests, each of which came from a port of its own.
    assert way.kinds.count(WITH_CONNECTION_ID) >= 3
    assert way.mappings >= 4
    # One session: two hellos, of which the second one shows the cookie.
    assert way.kinds.count(APPLICATION_DATA) == 0


@pytest.mark.soak
def test_our_client_sends_the_connection_ids_that_scandium_gives(
    lasthop: RunClient, key: Path, scandium: tuple[str, ...]
) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    with subprocess.Popen(
        [*scandium, "serve", f"coaps://127.0.0.1:{port}/door", IDENTITY, KEY, CANARY],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            with translator(port) as way:
                done = lasthop("get", f"coaps://127.0.0.1:{way.port}/door", f"--psk={key}")
            assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")
            assert WITH_CONNECTION_ID in way.kinds
            assert APPLICATION_DATA not in way.kinds
        finally:
            process.kill()

"""MQTT over WebSocket against paho-mqtt, mosquitto and the library `websockets`, in both roles."""

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from benchmarks.certificates import make
from websockets.asyncio import client as web_client
from websockets.asyncio import server as web_server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from lasthop.testbed import Namespace, missing_requirement

from .conftest import COMMAND, PATIENCE_S, FindProgram, RunClient, Server, StartServer
from .test_mqtt import Client

BOTH = ("mqtt://127.0.0.1:0", "ws://127.0.0.1:0")
MQTT = Subprotocol("mqtt")
CONNECT = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02me"
CONNACK = b"\x20\x02\x00\x00"


@pytest.fixture
def server(serve: StartServer) -> Server:
    return serve("mqtt", "--ws", listen=BOTH)


def url_of(server: Server, scheme: str = "ws") -> str:
    host, port = server.place(scheme)
    return f"{scheme}://{host}:{port}"


class WebClient(Client):
    """A client of paho-mqtt that comes by WebSocket."""

    def __init__(self, name: str, *, lasting: bool = False) -> None:
        super().__init__(name, lasting=lasting)
        self._transport = "websockets"


def test_our_clients_speak_with_our_server_over_tls_or_without_it(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, find_program: FindProgram
) -> None:
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    for options, trust in [((), ()), (tls, (f"--cafile={files.authority}",))]:
        server = serve("mqtt", "--ws", *options, listen=BOTH)
        plain, web = server.urls
        assert web.startswith("wss://" if options else "ws://")
        for version in ("3.1.1", "5"):
            done = lasthop(
                "pub", f"{web}/door", version, "--retain", f"--version={version}", *trust
            )
            assert (done.returncode, done.stderr) == (0, "")
            for url in (plain, web):
                heard = lasthop("sub", f"{url}/door", "--count=1", "--timeout=30", *trust)
                assert (heard.returncode, heard.stdout) == (0, f"{version}\n")


def test_paho_takes_its_session_from_one_way_to_the_other(server: Server) -> None:
    by_web = WebClient("one", lasting=True)
    assert not by_web.begin(server.place("ws"))
    # Nothing waits for an acknowledgement, and is sent again, when the session goes over.
    assert by_web.want("door", 0) == [0]
    large = bytes(range(256)) * 300  # a frame with the longest header
    sender = WebClient("other")
    sender.begin(server.place("ws"))
    for payload in (b"", b"x" * 125, b"x" * 126, large):
        sender.send("door", payload, 1)
        assert by_web.next_message() == ("door", payload, False)
    by_tcp = Client("one", lasting=True)
    assert by_tcp.begin(server.place("mqtt")), "the broker has one session of a name"
    assert by_web.gone.get(timeout=PATIENCE_S) is not None
    sender.send("door", b"again", 1)
    assert by_tcp.next_message() == ("door", b"again", False)
    for client in (by_tcp, sender):
        client.end()


@pytest.mark.soak
def test_our_clients_speak_with_mosquitto(tmp_path: Path, find_program: FindProgram) -> None:
    program = find_program("mosquitto", "mosquitto")
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"a namespace for mosquitto's WebSockets needs {missing}")
    settings = tmp_path / "mosquitto.conf"
    # mosquitto 2.0.11 does not start without a listener of the other kind.
    listeners = "listener 9000 127.0.0.1\nlistener 9001\nprotocol websockets\n"
    settings.write_text(f"user root\nallow_anonymous true\n{listeners}", encoding="utf-8")
    with Namespace() as namespace:
        process = namespace.start(program, "-c", settings, stderr=subprocess.PIPE)
        assert process.stderr is not None
        assert any(line.endswith("running\n") for line in iter(process.stderr.readline, ""))
        for version in ("3.1.1", "5"):
            url = (f"--version={version}", "ws://127.0.0.1:9001/door")
            namespace.run(*COMMAND, "pub", *url, version, "--retain")
            heard = namespace.run(*COMMAND, "sub", *url, "--count=1", "--timeout=30")
            assert heard == f"{version}\n"


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), PATIENCE_S))


def test_what_a_library_cuts_and_pings_is_read(server: Server) -> None:
    async def work() -> None:
        async with web_client.connect(url_of(server), subprotocols=[MQTT]) as web:
            assert web.subprotocol == "mqtt"
            assert web.response is not None
            assert "Sec-WebSocket-Extensions" not in web.response.headers
            await web.send([CONNECT[i : i + 1] for i in range(len(CONNECT))])
            assert await web.recv() == CONNACK
            await (await web.ping(b"\x00" * 125))
            # Two packets in a message, and one in two messages (MQTT 5 section 6.0).
            await web.send(b"\xc0\x00\xc0\x00\xc0")
            await web.send(b"\x00")
            heard = b""
            while len(heard) < 6:
                heard += bytes(await web.recv(decode=False))
            assert heard == b"\xd0\x00" * 3

    run(work)


def test_text_and_what_is_no_mqtt_end_the_connection_with_their_reasons(server: Server) -> None:
    async def work() -> None:
        cases: list[tuple[str | bytes, int]] = [("text", 1003), (b"\xff" * 4, 1000)]
        for message, code in cases:
            async with web_client.connect(url_of(server), subprotocols=[MQTT]) as web:
                await web.send(message)
                with pytest.raises(ConnectionClosed):
                    await web.recv()
                assert web.close_code == code
        with pytest.raises(InvalidStatus, match="400"):
            await web_client.connect(url_of(server), subprotocols=[Subprotocol("amqp")])

    run(work)


def test_a_server_that_ends_says_so_to_all(server: Server) -> None:
    async def work() -> None:
        async with web_client.connect(url_of(server), subprotocols=[MQTT]) as web:
            await web.send(CONNECT)
            assert await web.recv() == CONNACK
            stopping = asyncio.get_running_loop().run_in_executor(None, server.stop)
            with pytest.raises(ConnectionClosed):
                await web.recv()
            assert web.close_code in {1000, 1001}
            assert await stopping == 0

    run(work)


@pytest.mark.smoke("websockets")
def test_our_clients_speak_with_a_library(server: Server) -> None:
    """A server of `websockets` hands on to our broker, in odd pieces, with pings."""
    asked: list[str] = []

    async def relay(web: web_server.ServerConnection) -> None:
        assert web.request is not None
        asked.append(f"{web.request.path} {web.request.headers['Host']} {web.subprotocol}")
        reader, writer = await asyncio.open_connection(*server.place("mqtt"))

        async def back() -> None:
            while bytes_read := await reader.read(1000):
                await web.send([bytes_read[i : i + 3] for i in range(0, len(bytes_read), 3)])
                await (await web.ping())
            await web.close()

        answering = asyncio.create_task(back())
        async for message in web:
            assert isinstance(message, bytes)
            writer.write(message)
        writer.close()
        await answering

    async def lasthop(*arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        told, complaints = await process.communicate()
        assert (process.returncode, complaints) == (0, b"")
        return told.decode()

    async def work() -> None:
        async with web_server.serve(relay, "127.0.0.1", 0, subprotocols=[MQTT]) as listening:
            port = next(iter(listening.sockets)).getsockname()[1]
            url = f"ws://127.0.0.1:{port}/door"
            await lasthop("pub", url, "y" * 70_000, "--retain")
            assert await lasthop("sub", url, "--count=1", "--timeout=30") == "y" * 70_000 + "\n"
            assert asked == [f"/mqtt 127.0.0.1:{port} mqtt"] * 2

    run(work)


def test_who_never_asks_for_a_websocket_is_given_up(serve: StartServer) -> None:
    server = serve("mqtt", "--ws", "--limit=connect_time=1", listen=BOTH)
    for said in (b"", b"GET /mqtt HTTP/1.1\r\n"):
        silent = socket.create_connection(server.place("ws"), timeout=PATIENCE_S)
        with silent, contextlib.suppress(ConnectionError):
            silent.sendall(said)
            assert silent.recv(1) == b""


def test_what_is_not_http_or_too_long_is_refused_and_others_are_served(
    server: Server, lasthop: RunClient
) -> None:
    for said, status in [(CONNECT + b"\r\n\r\n", b"400"), (b"GET /" + b"a" * 9000, b"431")]:
        with socket.create_connection(server.place("ws"), timeout=PATIENCE_S) as plain:
            plain.sendall(said)
            assert plain.recv(100)[9:12] == status
    assert lasthop("pub", f"{url_of(server)}/a", "b").returncode == 0


def test_misuse_is_told_in_one_line(lasthop: RunClient) -> None:
    for arguments, said in [
        (("serve", "coap", "--ws"), "--ws: coap is not served over WebSocket; serve mqtt"),
        (
            ("serve", "mqtt", "--ws", "--listen=ws://127.0.0.1:0"),
            "--listen: mqtt has no address; add --listen mqtt://127.0.0.1:1883",
        ),
        (
            ("serve", "mqtt", "--listen=ws://127.0.0.1:0"),
            '--listen: "ws://127.0.0.1:0" fits none of the servers; write mqtt://127.0.0.1:0',
        ),
        (
            ("pub", "ws://127.0.0.1/a", "b", "--cafile=x"),
            "--cafile: ws://127.0.0.1/a does not use TLS; write wss://127.0.0.1/a",
        ),
    ]:
        done = lasthop(*arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"lasthop: {said}\n")

"""Several protocols behind one core: mosquitto, libcoap, aiocoap and JSON speak to each other."""

import asyncio
import importlib
import importlib.util
import json
import os
import select
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from .conftest import PATIENCE_S, FindProgram, Server, StartServer
from .test_mqtt import Client

TOPIC = "house/7/temperature"
LISTEN = ("mqtt://127.0.0.1:0", "coap://127.0.0.1:0", "json_udp://127.0.0.1:0")


@pytest.fixture
def server(serve: StartServer) -> Server:
    return serve("mqtt coap json_udp", listen=LISTEN)


@contextmanager
def json_client(server: Server, topic: str) -> Iterator[socket.socket]:
    """Subscribe to a topic with JSON in datagrams."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE_S)
        client.connect(server.place("json+udp"))
        client.send(json.dumps({"op": "sub", "topic": topic}).encode())
        assert json.loads(client.recv(1000)) == {"op": "suback", "topic": topic}
        yield client


def url_of(server: Server) -> str:
    host, port = server.place("coap")
    return f"coap://{host}:{port}/ps/{TOPIC}"


@pytest.mark.soak
def test_what_any_client_says_is_heard_by_those_of_the_other_protocols(
    server: Server, find_program: FindProgram
) -> None:
    pub = find_program("mosquitto_pub", "mosquitto-clients")
    sub = find_program("mosquitto_sub", "mosquitto-clients")
    coap = find_program("coap-client-notls", "libcoap3-bin")
    host, port = server.place("mqtt")
    broker = ("-h", host, "-p", str(port), "-t", TOPIC)
    kept = [pub, *broker, "-q", "1", "-r", "-m", "21.5"]
    subprocess.run(kept, check=True, timeout=PATIENCE_S)
    asked = [coap, "-s", "60", url_of(server)]
    listening = [sub, *broker, "-q", "1", "-C", "3", "-F", "%q %r %p"]
    with (
        running(asked) as observer,
        running(listening) as listener,
        json_client(server, "house/+/temperature") as client,
    ):
        # What is retained comes first, so that all of them are there from here on.
        assert json.loads(client.recv(1000)) == {"op": "pub", "topic": TOPIC, "data": "21.5"}
        assert heard(listener, "21.5") == "1 1 21.5\n"
        assert heard(observer, "21.5") == "21.5"
        put = [coap, "-m", "put", "-e", "22.5", url_of(server)]
        subprocess.run(put, check=True, timeout=PATIENCE_S)
        assert json.loads(client.recv(1000)) == {"op": "pub", "topic": TOPIC, "data": "22.5"}
        assert heard(listener, "22.5") == "1 0 22.5\n"
        assert heard(observer, "22.5").endswith("22.5")
        said = {"op": "pub", "topic": TOPIC, "data": {"celsius": 23.5}}
        client.send(json.dumps(said).encode())
        assert json.loads(client.recv(1000)) == said
        assert heard(listener, "}") == '0 0 {"celsius": 23.5}\n'
        assert heard(observer, "}").endswith('{"celsius": 23.5}')


@contextmanager
def running(command: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program whose output is read as it comes.

    It is not asked to end: a signal that meets mosquitto_sub as it says good-bye has it wait for a
    lock that it holds itself.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def heard(process: "subprocess.Popen[bytes]", wanted: str) -> str:
    """Read what a program prints, until this is among it."""
    assert process.stdout is not None
    told = b""
    while wanted.encode() not in told:
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], told
        part = os.read(process.stdout.fileno(), 1000)
        assert part, told
        told += part
    return told.decode()


@pytest.mark.soak
def test_aiocoap_observes_what_mqtt_publishes_and_sets_what_mqtt_hears(server: Server) -> None:
    aiocoap: Any = importlib.import_module("aiocoap")
    client = Client("client")
    client.begin(server.place("mqtt"))
    client.want("house/#", 1)
    url = url_of(server)

    async def talk() -> list[bytes]:
        context = await aiocoap.Context.create_client_context()
        try:
            watch = context.request(aiocoap.Message(code=aiocoap.GET, uri=url, observe=0))
            told = [(await watch.response).payload]
            notifications = aiter(watch.observation)
            for payload in (b"1", bytes(range(256)) * 10, b"3"):
                client.send(TOPIC, payload, 1)
                told.append((await anext(notifications)).payload)
            put = aiocoap.Message(code=aiocoap.PUT, uri=url, payload=b"on")
            answer = await context.request(put).response
            assert answer.code.is_successful()
            told.append((await anext(notifications)).payload)
            return told
        finally:
            await context.shutdown()

    told = asyncio.run(asyncio.wait_for(talk(), PATIENCE_S))
    large = bytes(range(256)) * 10
    assert told == [b"", b"1", large, b"3", b"on"]
    heard = [client.next_message() for _ in range(4)]
    assert heard[-1] == (TOPIC, b"on", False)
    client.want(TOPIC, 1)
    assert client.next_message() == (TOPIC, b"on", True)
    client.end()


def test_what_is_no_text_is_not_said_in_json(server: Server) -> None:
    sender = Client("sender")
    sender.begin(server.place("mqtt"))
    with json_client(server, TOPIC) as client:
        for payload in (b"\xff\xfe", b'say "no"\n', b"{broken", b'{"a":[1]}'):
            sender.send(TOPIC, payload, 1)
        heard = [json.loads(client.recv(1000))["data"] for _ in range(3)]
    assert heard == ['say "no"\n', "{broken", {"a": [1]}]
    sender.end()


def test_who_uses_one_protocol_too_much_leaves_the_others_alone(server: Server) -> None:
    client = Client("client")
    client.begin(server.place("mqtt"))
    client.want(TOPIC, 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
        for scheme in ("coap", "json+udp"):
            flood.connect(server.place(scheme))
            for number in range(2000):
                flood.send(bytes([number % 256]) * 1000)
    client.send(TOPIC, b"still there", 1)
    assert client.next_message()[1] == b"still there"
    client.end()
    assert server.stop() == 0

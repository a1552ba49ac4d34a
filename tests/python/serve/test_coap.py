"""The resources of the ETSI plugtests, asked by libcoap, aiocoap, by hand, and our own client."""

import asyncio
import importlib
import importlib.util
import json
import socket
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import PATIENCE_S, FindProgram, RunClient, Server, StartServer

RESOURCES = (
    "test",
    "validate",
    "seg1/seg2/seg3",
    "query",
    "separate",
    "large",
    "large-update",
    "large-create",
    "large-post",
    "obs",
    "obs-large",
    "obs-non",
    "obs-reset",
    "obs-pumping",
    "location-query",
    "multi-format",
    "link1",
    "link2",
    "link3",
    "path",
    "path/sub1",
    "path/sub2",
    "path/sub3",
)

LARGE = "".join(f"{f'line {number:>2}':<62}0\n" for number in range(1, 33))

Libcoap = Callable[..., str]


@pytest.fixture
def server(serve: StartServer) -> Server:
    return serve("coap", "--example", "plugtest")


@pytest.fixture
def libcoap(server: Server, find_program: FindProgram) -> Libcoap:
    """Return a function that asks by `coap-client` and returns what it prints."""
    program = find_program("coap-client-notls", "libcoap3-bin")

    def ask(path: str, *options: str) -> str:
        url = f"coap://127.0.0.1:{server.port}/{path}"
        done = subprocess.run(
            [program, "-B", "20", *options, url],
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.stdout.removesuffix("\n") + done.stderr.removesuffix("\n")

    return ask


@pytest.mark.soak
class TestLibcoap:
    def test_discovers_all_resources(self, libcoap: Libcoap) -> None:
        listed = libcoap(".well-known/core")
        assert {f"</{name}>" for name in RESOURCES} <= set(listed.replace(";", ",").split(","))
        assert "</obs>" in libcoap(".well-known/core?href=/obs")

    @pytest.mark.parametrize("type_", [(), ("-N",)], ids=["con", "non"])
    def test_reads_sets_and_removes(self, libcoap: Libcoap, type_: tuple[str, ...]) -> None:
        assert libcoap("test", *type_) == "default test resource"
        libcoap("test", *type_, "-m", "put", "-e", "set")
        assert libcoap("test", *type_) == "set"
        libcoap("test", *type_, "-m", "post", "-e", "made by it")
        assert libcoap("location1/location2/location3", *type_) == "made by it"
        libcoap("validate", *type_, "-m", "put", "-e", "set")
        libcoap("validate", *type_, "-m", "post", "-e", " and added to")
        assert libcoap("validate", *type_) == "set and added to"
        libcoap("test", *type_, "-m", "delete")
        assert libcoap("test", *type_) == "default test resource"

    def test_finds_segments_and_arguments(self, libcoap: Libcoap) -> None:
        assert libcoap("seg1/seg2/seg3") == "a path of three segments"
        assert libcoap("query?first=1&second=2") == "first=1\nsecond=2\n"
        assert "4.04" in libcoap("seg1/seg2")

    def test_takes_a_response_of_its_own(self, libcoap: Libcoap) -> None:
        assert libcoap("separate") == "answered by a message of its own"

    @pytest.mark.parametrize("size", ["16", "64", "1024"])
    def test_reads_block_by_block(self, libcoap: Libcoap, size: str) -> None:
        assert libcoap("large", "-b", size) == LARGE

    def test_sets_and_makes_block_by_block(self, libcoap: Libcoap) -> None:
        body = "0123456789" * 300
        libcoap("large-update", "-m", "put", "-b", "64", "-e", body)
        assert libcoap("large-update") == body
        libcoap("large-create", "-m", "post", "-b", "64", "-e", body)
        assert libcoap("large-create/1") == body
        assert libcoap("large-post", "-m", "post", "-b", "64", "-e", body) == LARGE

    def test_chooses_a_format(self, libcoap: Libcoap) -> None:
        assert libcoap("multi-format", "-A", "0") == "plain text"
        assert libcoap("multi-format", "-A", "41") == "<text>extensible markup</text>"
        assert libcoap("multi-format", "-A", "50") == '{"text":"object notation"}'
        assert "4.06" in libcoap("multi-format", "-A", "47")

    @pytest.mark.parametrize("path", ["obs-pumping", "obs", "obs-non", "obs-large"])
    def test_observes(self, libcoap: Libcoap, path: str) -> None:
        told = libcoap(path, "-s", "2" if path == "obs-pumping" else "6")
        count = told.count("line  1 ") if path == "obs-large" else told.count("changes")
        assert count >= (5 if path == "obs-pumping" else 2)


class TestByHand:
    """What no client shows: message types, options, resets."""

    @pytest.fixture
    def client(self, server: Server) -> socket.socket:
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.settimeout(PATIENCE_S)
        opened.connect(server.addresses[0])
        return opened

    def test_a_separate_response_follows_an_empty_acknowledgement(
        self, client: socket.socket
    ) -> None:
        with client:
            client.send(bytes.fromhex("41 01 0001 aa") + b"\xb8separate")
            assert client.recv(100) == bytes.fromhex("60 00 0001")
            response = client.recv(100)
            # Confirmable, 2.05, with the token of the request.
            assert (response[0], response[1], response[4]) == (0x41, 0x45, 0xAA)
            client.send(b"\x60\x00" + response[2:4])

    def test_an_entity_tag_that_still_holds_is_told_so(self, client: socket.socket) -> None:
        with client:
            client.send(bytes.fromhex("40 01 0001") + b"\xb8validate")
            response = client.recv(200)
            assert (response[1], response[4]) == (0x45, 0x44)
            tag = response[5:9]
            with_tag = b"\x44" + tag + b"\x78validate"
            client.send(bytes.fromhex("40 01 0002") + with_tag)
            assert client.recv(200) == bytes.fromhex("60 43 0002") + b"\x44" + tag
            client.send(bytes.fromhex("40 03 0003") + b"\xb8validate\xffnew")
            assert client.recv(200)[1] == 0x44
            client.send(bytes.fromhex("40 01 0004") + with_tag)
            assert client.recv(200)[1] == 0x45

    def test_a_post_tells_a_place_with_arguments(self, client: socket.socket) -> None:
        with client:
            client.send(bytes.fromhex("40 02 0001") + b"\xbd\x01location-query\xffx")
            told = bytes.fromhex("60 41 0001") + b"\xd7\x07first=1" + b"\x08second=2"
            assert client.recv(200) == told

    def test_what_is_made_has_a_place_of_its_own(self, client: socket.socket) -> None:
        with client:
            for number in (b"1", b"2"):
                client.send(b"\x40\x02\x00" + number + b"\xbclarge-create\xffx")
                answer = client.recv(200)
                assert answer == b"\x60\x41\x00" + number + b"\x8clarge-create" + b"\x01" + number

    def test_a_reset_ends_an_observation(self, client: socket.socket) -> None:
        with client:
            client.send(bytes.fromhex("41 01 0001 aa 60") + b"\x59obs-reset")
            assert client.recv(200)[1] == 0x45
            post = bytes.fromhex("40 02 00") + b"%c" + b"\xb9obs-reset"
            client.send(post % 2)
            pair = [client.recv(200), client.recv(200)]
            notification = next(packet for packet in pair if packet[0] == 0x41)
            client.send(b"\x70\x00" + notification[2:4])
            client.send(post % 3)
            assert client.recv(200)[0] == 0x60
            client.settimeout(0.5)
            with pytest.raises(TimeoutError):
                client.recv(200)

    def test_notifications_that_nobody_acknowledges_are_not_confirmable(
        self, client: socket.socket
    ) -> None:
        with client:
            client.send(bytes.fromhex("41 01 0001 aa 60") + b"\x57obs-non")
            assert client.recv(200)[0] == 0x61
            assert client.recv(200)[0] == 0x51

    def test_nonsense_changes_nothing(self, client: socket.socket) -> None:
        with client:
            for nonsense in (b"", b"\x40", b"\xff" * 100, b"\x4f\x01\x00\x01", bytes(1400)):
                client.send(nonsense)
            client.send(bytes.fromhex("40 00 1234"))
            answers = [client.recv(200)]
            while answers[-1] != bytes.fromhex("70 00 1234"):
                answers.append(client.recv(200))


class TestOurClient:
    def test_reads_sets_adds_and_observes(self, server: Server, lasthop: RunClient) -> None:
        base = f"coap://localhost:{server.port}"
        told = [
            lasthop("get", f"{base}/test"),
            lasthop("put", f"{base}/lamp", "on"),
            lasthop("post", f"{base}/lamp", " and on"),
            lasthop("get", f"{base}/lamp"),
            lasthop("get", f"{base}/query?a=1&b=%26"),
            lasthop("get", f"{base}/large"),
            lasthop("get", f"{base}/separate", "--non"),
            lasthop("get", f"{base}/multi-format", "--accept", "41"),
        ]
        assert [(done.returncode, done.stderr) for done in told] == [(0, "")] * 8
        assert [done.stdout for done in told] == [
            "default test resource\n",
            "",
            "",
            "on and on\n",
            "a=1\nb=&\n",
            LARGE,
            "answered by a message of its own\n",
            "<text>extensible markup</text>\n",
        ]
        done = lasthop("get", f"{base}/obs-pumping", "--observe", "4", "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["code"] for line in lines] == ["2.05"] * 4
        assert len({line["payload"] for line in lines}) == 4

    def test_an_error_of_the_server_is_a_line_and_exit_1(
        self, server: Server, lasthop: RunClient
    ) -> None:
        url = f"coap://127.0.0.1:{server.port}/nothing"
        done = lasthop("get", url)
        assert (done.returncode, done.stderr) == (1, f"lasthop: {url}: 4.04\n")

    def test_a_server_without_example_keeps_what_is_put(
        self, serve: StartServer, lasthop: RunClient
    ) -> None:
        port = serve("coap").port
        url = f"coap://127.0.0.1:{port}/a/b"
        assert lasthop("get", url).returncode == 1
        assert lasthop("put", url, "kept").returncode == 0
        assert lasthop("get", url).stdout == "kept\n"


class TestOverTcp:
    """CoAP over TCP (RFC 8323), asked by libcoap and our own client."""

    @pytest.fixture
    def server(self, serve: StartServer) -> Server:
        return serve("coap_tcp", "--example", "plugtest")

    @pytest.mark.soak
    def test_libcoap_reads_sets_and_observes(
        self, server: Server, find_program: FindProgram
    ) -> None:
        program = find_program("coap-client-notls", "libcoap3-bin")
        assert server.urls == [f"coap+tcp://127.0.0.1:{server.port}"]

        def ask(path: str, *options: str) -> str:
            done = subprocess.run(
                [program, "-B", "20", *options, f"{server.urls[0]}/{path}"],
                check=True,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
            return done.stdout.removesuffix("\n")

        assert ask("test") == "default test resource"
        ask("large-update", "-m", "put", "-e", "0123456789" * 300)
        assert ask("large-update") == "0123456789" * 300
        assert ask("obs-pumping", "-s", "2").count("changes") >= 5

    def test_our_client_reads_sets_and_observes(self, server: Server, lasthop: RunClient) -> None:
        base = server.urls[0]
        assert lasthop("put", f"{base}/lamp", "on").returncode == 0
        assert lasthop("get", f"{base}/lamp").stdout == "on\n"
        assert lasthop("get", f"{base}/large").stdout == LARGE
        done = lasthop("get", f"{base}/obs-pumping", "--observe", "3", "--json")
        assert len(done.stdout.splitlines()) == 3
        assert lasthop("get", f"{base}/nothing").returncode == 1

    def test_it_shares_topics_with_the_others(self, serve: StartServer, lasthop: RunClient) -> None:
        listen = ("coap://127.0.0.1:0", "coap+tcp://127.0.0.1:0")
        by_udp, by_tcp = serve("coap coap_tcp", listen=listen).urls
        assert lasthop("put", f"{by_tcp}/ps/door", "open").returncode == 0
        assert lasthop("get", f"{by_udp}/ps/door").stdout == "open\n"

    def test_nobody_there_is_a_line_and_exit_4(self, server: Server, lasthop: RunClient) -> None:
        url = server.urls[0]
        assert server.stop() == 0
        done = lasthop("get", f"{url}/test")
        assert (done.returncode, done.stdout) == (4, "")
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.soak
def test_aiocoap_reads_sets_and_observes(server: Server) -> None:
    aiocoap: Any = importlib.import_module("aiocoap")
    base = f"coap://127.0.0.1:{server.port}"

    async def ask() -> tuple[bytes, bytes, bytes, bytes, int]:
        context = await aiocoap.Context.create_client_context()
        try:

            async def get(path: str) -> bytes:
                request = aiocoap.Message(code=aiocoap.GET, uri=f"{base}/{path}")
                return bytes((await context.request(request).response).payload)

            put = aiocoap.Message(
                code=aiocoap.PUT, uri=f"{base}/large-update", payload=b"0123456789" * 300
            )
            await context.request(put).response
            watch = aiocoap.Message(code=aiocoap.GET, uri=f"{base}/obs-pumping", observe=0)
            pumped = context.request(watch)
            await pumped.response
            count = 0
            async for _ in pumped.observation:
                count += 1
                if count == 3:
                    break
            return (
                await get("test"),
                await get("separate"),
                await get("large"),
                await get("large-update"),
                count,
            )
        finally:
            await context.shutdown()

    told = asyncio.run(asyncio.wait_for(ask(), PATIENCE_S))
    assert told == (
        b"default test resource",
        b"answered by a message of its own",
        LARGE.encode(),
        b"0123456789" * 300,
        3,
    )

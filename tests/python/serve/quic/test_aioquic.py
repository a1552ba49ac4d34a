"""`serve mqtt --quic` and `quic://` against aioquic, in both roles."""

import asyncio
import contextlib
import signal
from pathlib import Path

import pytest
from aioquic.asyncio.server import serve as serve_quic
from aioquic.quic.configuration import QuicConfiguration
from benchmarks.certificates import Credentials, make
from benchmarks.quic_client import QuicClient, new_socket
from tests.python.serve.conftest import FindProgram, RunClient, Server, StartServer

from .conftest import CONNACK, CONNECT, DISCONNECT, PUBACK, PUBLISH
from .translator import Translator

NO_APPLICATION_PROTOCOL = 0x100 + 120
SUBACK = b"\x90\x03\x00\x01\x01"


@pytest.mark.soak
@pytest.mark.parametrize("retries", [False, True])
def test_aioquic_comes_anew_by_a_ticket_and_from_another_port(
    start: StartServer, files: Credentials, *, retries: bool
) -> None:
    place = start(*(["--quic-retry"] if retries else [])).place("quic")
    with QuicClient(place, files.authority) as client:
        client.ask(CONNECT, CONNACK)
        client.ask(PUBLISH, PUBACK)
        assert client.shaken is not None
        assert not client.shaken.session_resumed
        assert client.has_heard_a_retry() == retries
        client.until(lambda: bool(client.tickets))
    ticket = client.tickets[0]
    with QuicClient(place, files.authority, ticket=ticket) as client:
        if retries:
            # What a Retry makes void of its first flight aioquic never says again.
            client.until(lambda: client.shaken is not None)
        client.ask(CONNECT + PUBLISH, CONNACK + PUBACK)
        client.until(lambda: client.shaken is not None)
        assert client.shaken is not None
        assert client.shaken.session_resumed
        assert client.shaken.early_data_accepted
        assert client.has_heard_a_retry() == retries
        client.rebind()
        client.ask(PUBLISH, PUBACK)
    # A ticket is good once.
    with QuicClient(place, files.authority, ticket=ticket) as client:
        client.until(lambda: client.shaken is not None)
        assert client.shaken is not None
        assert not client.shaken.session_resumed
        assert not client.shaken.early_data_accepted
        client.ask(CONNECT, CONNACK)


def test_what_is_replayed_of_a_first_flight_is_not_heard(
    server: Server, lasthop: RunClient, files: Credentials
) -> None:
    place, trust = server.place("quic"), f"--cafile={files.authority}"
    with QuicClient(place, files.authority) as client:
        client.ask(CONNECT, CONNACK)
        client.until(lambda: bool(client.tickets))
    retained = b"\x33" + PUBLISH[1:]
    with QuicClient(place, files.authority, ticket=client.tickets[0]) as client:
        client.ask(CONNECT + retained, CONNACK + PUBACK)
    url = f"{server.urls[1]}/door"
    assert lasthop("pub", url, "closed", "--retain", trust).returncode == 0
    with contextlib.closing(new_socket(place)) as elsewhere:
        for datagram in client.first_flight:
            elsewhere.send(datagram)
    # The server has heard it before it hears who asks now.
    assert lasthop("sub", url, "--count=1", "--timeout=30", trust).stdout == "closed\n"


def test_who_speaks_another_protocol_is_told_so(server: Server, files: Credentials) -> None:
    with QuicClient(server.place("quic"), files.authority, protocol="h3") as client:
        assert client.until_the_end().error_code == NO_APPLICATION_PROTOCOL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_ends_says_so(server: Server, files: Credentials, number: int) -> None:
    with QuicClient(server.place("quic"), files.authority) as client:
        client.ask(CONNECT, CONNACK)
        assert server.stop(number) == 0
        assert client.until_the_end().error_code == 0


def test_our_clients_speak_with_our_server(
    server: Server, lasthop: RunClient, files: Credentials
) -> None:
    secured, quic = server.urls
    trust = f"--cafile={files.authority}"
    for version in ("3.1.1", "5"):
        done = lasthop("pub", f"{quic}/door", version, "--retain", f"--version={version}", trust)
        assert (done.returncode, done.stderr) == (0, "")
        for url in (secured, quic):
            heard = lasthop("sub", f"{url}/door", "--count=1", "--timeout=30", trust)
            assert (heard.returncode, heard.stdout) == (0, f"{version}\n")


def test_a_server_that_wants_to_know_its_clients_serves_those_alone(
    start: StartServer, lasthop: RunClient, files: Credentials
) -> None:
    url = f"{start(f'--client-ca={files.authority}').urls[1]}/door"
    trust = f"--cafile={files.authority}"
    shown = (f"--cert={files.certificate}", f"--key={files.key}")
    assert lasthop("pub", url, "open", trust, *shown).returncode == 0
    refused = lasthop("pub", url, "open", trust)
    assert refused.returncode == 4
    assert "wants a certificate" in refused.stderr


@pytest.mark.soak
@pytest.mark.parametrize("retries", [False, True])
def test_our_client_publishes_to_aioquic(
    lasthop: RunClient, files: Credentials, *, retries: bool
) -> None:
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readexactly(2))
        heard.append(await reader.readexactly(heard[-1][1]))
        writer.write(CONNACK)
        heard.append(await reader.readexactly(2))
        heard.append(await reader.readexactly(heard[-1][1]))
        writer.write(PUBACK[:2] + heard[-1][6:8])
        heard.append(await reader.read())
        writer.write_eof()

    async def run() -> None:
        configuration = QuicConfiguration(is_client=False, alpn_protocols=["mqtt"])
        configuration.load_cert_chain(files.certificate, files.key)
        tasks: list[asyncio.Task[None]] = []

        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.append(asyncio.ensure_future(serve(reader, writer)))

        foreign = await serve_quic(
            "127.0.0.1", 0, configuration=configuration, stream_handler=begin, retry=retries
        )
        assert foreign._transport is not None
        port = foreign._transport.get_extra_info("sockname")[1]
        url = f"quic://127.0.0.1:{port}/door"
        done = await asyncio.to_thread(lasthop, "pub", url, "open", f"--cafile={files.authority}")
        assert (done.returncode, done.stderr) == (0, "")
        foreign.close()

    asyncio.run(run())
    assert heard[1].startswith(CONNECT[2:8])
    assert heard[3].startswith(b"\x00\x04door")
    assert heard[3].endswith(b"open")
    assert heard[4] == DISCONNECT


@pytest.mark.soak
def test_our_client_is_found_by_aioquic_behind_a_translator_that_takes_another_port(
    lasthop: RunClient, files: Credentials
) -> None:
    acknowledged: list[bytes] = []

    async def run() -> str:
        loop = asyncio.get_running_loop()
        configuration = QuicConfiguration(is_client=False, alpn_protocols=["mqtt"])
        configuration.load_cert_chain(files.certificate, files.key)
        tasks: list[asyncio.Task[None]] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for answer in (CONNACK, SUBACK):
                kind_and_length = await reader.readexactly(2)
                rest = await reader.readexactly(kind_and_length[1])
                writer.write(answer if answer == CONNACK else answer[:2] + rest[:2] + b"\x01")
            for _ in range(2):
                # What acknowledges it is the first that comes from another port.
                translator.rebinds_next = True
                writer.write(PUBLISH)
                acknowledged.append(await reader.readexactly(len(PUBACK)))
            writer.write(PUBLISH)
            await reader.read()
            writer.close()

        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.append(asyncio.ensure_future(serve(reader, writer)))

        foreign = await serve_quic(
            "127.0.0.1", 0, configuration=configuration, stream_handler=begin
        )
        assert foreign._transport is not None
        server = foreign._transport.get_extra_info("sockname")
        translator = Translator(loop, server)
        url = f"quic://127.0.0.1:{translator.port}/door"
        trust = f"--cafile={files.authority}"
        done = await asyncio.to_thread(lasthop, "sub", url, "--count=3", "--timeout=60", trust)
        translator.close()
        foreign.close()
        assert (done.returncode, done.stderr) == (0, "")
        assert len(set(translator.ports)) == 3
        return done.stdout

    assert asyncio.run(run()) == "open\n" * 3
    assert acknowledged == [PUBACK] * 2


def test_who_is_not_believed_is_not_told_anything(
    server: Server, lasthop: RunClient, tmp_path: Path, find_program: FindProgram
) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    stranger = make(find_program("openssl", "openssl"), elsewhere, "ec")
    url = server.urls[1]
    done = lasthop("pub", f"{url}/door", "open", f"--cafile={stranger.authority}")
    assert done.returncode == 4
    assert "signed by nobody in the CA file" in done.stderr


def test_nobody_listens_and_it_is_told_in_one_line(lasthop: RunClient, files: Credentials) -> None:
    # No server is at the port of discard; the machine says so.
    done = lasthop("pub", "quic://127.0.0.1:9/door", "open", f"--cafile={files.authority}")
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_told_in_one_line(
    server: Server, lasthop: RunClient, files: Credentials
) -> None:
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    places = ("--listen=mqtts://127.0.0.1:0", f"--listen={server.urls[1]}")
    done = lasthop("serve", "mqtt", "--quic", *tls, *places)
    assert (done.returncode, done.stdout) == (4, "")
    (line,) = done.stderr.splitlines()
    assert "the port is in use" in line


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("mqtt", "--quic"), "add --tls-cert FILE --tls-key FILE"),
        (("coap", "--quic"), "is not served over QUIC; serve mqtt"),
        (("mqtt", "--quic-retry"), "--quic-retry: nothing is served over QUIC; add --quic"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    lasthop: RunClient, options: tuple[str, ...], hint: str
) -> None:
    done = lasthop("serve", *options)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert hint in line

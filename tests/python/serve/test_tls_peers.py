"""TLS on sockets with clients that show certificates, CoAP inside, and keys of ML-KEM."""

import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make, run
from OpenSSL import SSL

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .test_tls import CANARY

CONNECT = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02me"
CONNACK = b"\x20\x02\x00\x00"
HYBRID = "X25519MLKEM768"
FORTY = 40
SUBSCRIBE = b"\x82\xa2\x01\x00\x01" + FORTY * b"\x00\x01a\x00"
SUBACK = b"\x90\x2a\x00\x01" + FORTY * b"\x00"


@pytest.fixture
def openssl(find_program: FindProgram) -> str:
    return find_program("openssl", "openssl")


@pytest.fixture
def ours(tmp_path: Path, openssl: str) -> Credentials:
    (folder := tmp_path / "ours").mkdir()
    return make(openssl, folder, "ec")


@pytest.fixture
def strange(tmp_path: Path, openssl: str) -> Credentials:
    (folder := tmp_path / "strange").mkdir()
    return make(openssl, folder, "rsa")


def secured(files: Credentials) -> tuple[str, str]:
    return f"--tls-cert={files.certificate}", f"--tls-key={files.key}"


def shown(files: Credentials) -> tuple[str, str]:
    return f"--cert={files.certificate}", f"--key={files.key}"


def test_a_server_that_wants_to_know_its_clients_serves_those_alone(
    serve: StartServer,
    lasthop: RunClient,
    find_program: FindProgram,
    ours: Credentials,
    strange: Credentials,
) -> None:
    server = serve("mqtt", *secured(ours), f"--client-ca={ours.authority}")
    url, trust = f"{server.urls[0]}/door", f"--cafile={ours.authority}"
    assert lasthop("pub", url, CANARY, "--retain", trust, *shown(ours)).returncode == 0
    for credentials, said in [((), "wants a certificate"), (shown(strange), "does not believe")]:
        done = lasthop("pub", url, "x", trust, *credentials)
        assert (done.returncode, done.stdout) == (4, "")
        assert said in done.stderr
    sub = find_program("mosquitto_sub", "mosquitto-clients")
    place = ("-h", "127.0.0.1", "-p", server.port, "--cafile", ours.authority)
    wants = ("-t", "door", "-C", "1", "-W", "30")
    own = ("--cert", ours.certificate, "--key", ours.key)
    assert run(sub, *place, *wants, *own) == f"{CANARY}\n"
    refused = subprocess.run(
        [sub, *map(str, place), *wants], check=False, capture_output=True, timeout=PATIENCE_S
    )
    assert refused.returncode != 0


@pytest.mark.soak
def test_our_client_shows_its_certificate_to_openssl(
    lasthop: RunClient, openssl: str, ours: Credentials
) -> None:
    with listening() as port:
        pass
    command = [
        *(openssl, "s_server", "-accept", f"127.0.0.1:{port}", "-naccept", "1", "-quiet"),
        *("-cert", ours.certificate, "-key", ours.key),
        *("-CAfile", ours.authority, "-Verify", "1", "-verify_return_error"),
    ]
    with subprocess.Popen(
        list(map(str, command)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        wait_for(port)
        server.stdin.write(CONNACK)
        server.stdin.flush()
        url = f"mqtts://127.0.0.1:{port}/door"
        done = lasthop("pub", url, CANARY, "--qos=0", f"--cafile={ours.authority}", *shown(ours))
        assert (done.returncode, done.stderr) == (0, "")
        told = server.stdout.read()
        server.stdin.close()
        assert b"MQTT" in told
        assert CANARY.encode() in told


@contextlib.contextmanager
def listening() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until somebody listens there, without a connection."""
    place = f"0100007F:{port:04X} 00000000:0000 0A"
    while place not in Path("/proc/net/tcp").read_text(encoding="ascii"):
        pass


def test_coap_goes_over_tls(serve: StartServer, lasthop: RunClient, ours: Credentials) -> None:
    server = serve("coap_tcp", *secured(ours), f"--client-ca={ours.authority}")
    assert server.urls == [f"coaps+tcp://127.0.0.1:{server.port}"]
    url, trust = f"{server.urls[0]}/ps/door", f"--cafile={ours.authority}"
    done = lasthop("put", url, CANARY, trust, *shown(ours))
    assert (done.returncode, done.stderr) == (0, "")
    done = lasthop("get", url, trust, *shown(ours))
    assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")
    done = lasthop("get", url, trust)
    assert (done.returncode, done.stdout) == (4, "")
    assert "wants a certificate" in done.stderr


@pytest.mark.soak
def test_libcoap_speaks_coap_over_tls_with_our_server(
    serve: StartServer, find_program: FindProgram, ours: Credentials
) -> None:
    program = find_program("coap-client-openssl", "libcoap3-bin")
    server = serve("coap_tcp", *secured(ours))
    url = f"{server.urls[0]}/ps/door"
    run(program, "-R", ours.authority, "-m", "put", "-e", CANARY, url)
    assert run(program, "-R", ours.authority, url).strip() == CANARY


def context_of(method: int, files: Credentials) -> SSL.Context:
    context = SSL.Context(method)
    context.load_verify_locations(str(files.authority))
    return context


@pytest.mark.soak
def test_openssl_exchanges_keys_of_ml_kem_with_our_server(
    serve: StartServer, ours: Credentials
) -> None:
    server = serve("mqtt", *secured(ours))
    context = context_of(SSL.TLS_CLIENT_METHOD, ours)
    context.set_verify(SSL.VERIFY_PEER)
    with socket.create_connection(("127.0.0.1", server.port)) as plain:
        plain.settimeout(None)
        client = SSL.Connection(context, plain)
        client.set_connect_state()
        client.do_handshake()
        assert client.get_group_name() == HYBRID
        client.sendall(CONNECT)
        assert client.recv(100) == CONNACK


def test_a_peer_may_ask_for_new_keys(
    serve: StartServer, ours: Credentials, openssl: str, lasthop: RunClient
) -> None:
    # RFC 8446 section 4.6.3: the server answers with new keys of its own, before its next data.
    server = serve("mqtt", *secured(ours))
    command = [openssl, "s_client", "-connect", f"127.0.0.1:{server.port}", "-tls1_3"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        assert peer.stderr is not None
        for request, answer in ((CONNECT, CONNACK), (SUBSCRIBE, SUBACK)):
            peer.stdin.write(b"K\n")
            peer.stdin.flush()
            while b"KEYUPDATE" not in peer.stderr.readline():
                pass
            peer.stdin.write(request)
            peer.stdin.flush()
            said = b""
            while answer not in said:
                said += (piece := os.read(peer.stdout.fileno(), 1000))
                assert piece, "the server ended the connection"
        peer.kill()
    url = f"mqtts://127.0.0.1:{server.port}/door"
    assert lasthop("pub", url, CANARY, "--qos=1", f"--cafile={ours.authority}").returncode == 0


@pytest.mark.soak
def test_openssl_exchanges_keys_of_ml_kem_with_our_client(
    lasthop: RunClient, ours: Credentials
) -> None:
    context = context_of(SSL.TLS_SERVER_METHOD, ours)
    context.use_certificate_chain_file(str(ours.certificate))
    context.use_privatekey_file(str(ours.key))
    groups: list[str | None] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            plain, _ = listener.accept()
            with plain:
                server = SSL.Connection(context, plain)
                server.set_accept_state()
                server.do_handshake()
                groups.append(server.get_group_name())
                server.recv(1000)
                server.sendall(CONNACK)
                with contextlib.suppress(SSL.ZeroReturnError):
                    while server.recv(1000):
                        pass
                server.shutdown()

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"mqtts://127.0.0.1:{listener.getsockname()[1]}/door"
        done = lasthop("pub", url, CANARY, "--qos=0", f"--cafile={ours.authority}")
        thread.join(PATIENCE_S)
    assert (done.returncode, done.stderr, groups) == (0, "", [HYBRID])


def test_credentials_of_clients_are_told_with_their_place(
    lasthop: RunClient, ours: Credentials, tmp_path: Path
) -> None:
    nothing = tmp_path / "nothing"
    trust = f"--cafile={ours.authority}"
    cert, key = shown(ours)
    for arguments, said in [
        (("pub", "mqtts://127.0.0.1/a", "b", trust, cert), "add --key FILE"),
        (("pub", "mqtts://127.0.0.1/a", "b", trust, key), "add --cert FILE"),
        (
            ("pub", "mqtt://127.0.0.1/a", "b", cert, key),
            "--cert: mqtt://127.0.0.1/a does not use TLS",
        ),
        (("get", "coap://127.0.0.1/a", trust), "--cafile: coap://127.0.0.1/a does not use TLS"),
        (
            ("pub", "mqtts://127.0.0.1/a", "b", trust, f"--cert={nothing}", key),
            f"--cert: {nothing}: no such file",
        ),
        (
            ("get", "coaps+tcp://127.0.0.1/a", trust, cert, f"--key={ours.certificate}"),
            f"--key: {ours.certificate}: there is no private key in it",
        ),
        (("serve", "mqtt", f"--client-ca={ours.authority}"), "add --tls-cert FILE"),
        (
            ("serve", "mqtt", *secured(ours), f"--client-ca={ours.key}"),
            f"--client-ca: {ours.key}: there is no certificate in it",
        ),
    ]:
        done = lasthop(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        (line,) = done.stderr.splitlines()
        assert said in line


def test_one_handshake_too_many_of_an_address_is_closed(
    serve: StartServer, lasthop: RunClient, ours: Credentials
) -> None:
    limits = ("--limit=handshakes_per_address=3", "--limit=connect_time=3600")
    server = serve("mqtt", *secured(ours), *limits)
    arguments = ("pub", f"{server.urls[0]}/door", CANARY, f"--cafile={ours.authority}")
    with contextlib.ExitStack() as stack:
        # Who has said hello and no more; the server's answer shows that it knows of him.
        silent = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            for _ in range(3)
        ]
        for connection in silent:
            connection.settimeout(PATIENCE_S)
            client = SSL.Connection(context_of(SSL.TLS_CLIENT_METHOD, ours), None)
            client.set_connect_state()
            with contextlib.suppress(SSL.WantReadError):
                client.do_handshake()
            connection.sendall(client.bio_read(1 << 16))
            assert connection.recv(1)
        assert lasthop(*arguments).returncode == 4
        silent[0].close()
        done = lasthop(*arguments)
        while done.returncode == 4:  # until the server has heard of it
            done = lasthop(*arguments)
        assert done.returncode == 0
        # Whose handshake is over no longer counts.
        assert lasthop(*arguments).returncode == 0

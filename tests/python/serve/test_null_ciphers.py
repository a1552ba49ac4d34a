"""OpenSSL that has only suites without a cipher, before our server and before our client."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .test_dtls import IDENTITY, KEY, port_above_a_free_one, program_at_a_port, read_until
from .test_tls_peers import secured

NULL = "@SECLEVEL=0:ECDHE-ECDSA-NULL-SHA:NULL-SHA256:PSK-NULL-SHA256:PSK-NULL-SHA"
"""Of certificates and of keys; OpenSSL has none in TLS 1.3."""
SEALED = "ECDHE-ECDSA-AES128-GCM-SHA256"


@dataclass(frozen=True)
class Ends:
    """What OpenSSL, our server and our client are told."""

    of_openssl: tuple[str, ...]
    shown_by_openssl: tuple[str, ...]
    served: str
    of_our_server: tuple[str, ...]
    scheme: str
    of_our_client: tuple[str, ...]
    sealed: str
    """A suite with a cipher that OpenSSL and ours have."""


@pytest.fixture
def openssl(find_program: FindProgram) -> str:
    return find_program("openssl", "openssl")


@pytest.fixture(params=["tls", "dtls by key", "dtls by certificate"])
def ends(request: pytest.FixtureRequest, tmp_path: Path, openssl: str) -> Ends:
    keys = tmp_path / "keys"
    keys.write_text(f"{IDENTITY}:{KEY}\n", encoding="utf-8")
    keys.chmod(0o600)
    files: Credentials = make(openssl, tmp_path, "ec")
    shown = ("-cert", str(files.certificate), "-key", str(files.key))
    trust = (f"--cafile={files.authority}",)
    if request.param == "tls":
        return Ends(("-tls1_2",), shown, "mqtt", secured(files), "mqtts", trust, SEALED)
    if request.param == "dtls by certificate":
        own = (*secured(files), "--dtls=1.2")
        return Ends(("-dtls1_2",), shown, "coap", own, "coaps", trust, "ECDHE-ECDSA-AES128-CCM8")
    key = ("-dtls1_2", "-psk_identity", IDENTITY, "-psk", KEY)
    by_key = (f"--psk={keys}",)
    return Ends(
        key, ("-nocert",), "coap", (f"--dtls-psk={keys}",), "coaps", by_key, "PSK-AES128-CCM8"
    )


def asked(openssl: str, port: int, *options: str) -> str:
    """Return what OpenSSL's client tells of its handshake, whatever came of it."""
    place = ("-connect", f"127.0.0.1:{port}")
    done = subprocess.run(
        [openssl, "s_client", *options, *place],
        input="",
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE_S,
    )
    return done.stdout + done.stderr


@contextmanager
def listening_program(
    command: Callable[[int], list[str]],
) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Start a program that takes connections at a port of this machine."""
    port = port_above_a_free_one()
    with subprocess.Popen(
        command(port), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            read_until(process, lambda said: b"ACCEPT" in said)
            yield port, process
        finally:
            process.kill()


def test_our_server_refuses_who_has_only_null_ciphers(
    serve: StartServer, openssl: str, ends: Ends
) -> None:
    server = serve(ends.served, *ends.of_our_server)
    refused = asked(openssl, server.port, *ends.of_openssl, "-cipher", NULL)
    assert "handshake failure" in refused
    assert "Cipher is (NONE)" in refused
    # The same client with a suite that seals is served.
    served = asked(openssl, server.port, *ends.of_openssl, "-cipher", ends.sealed)
    assert f"Cipher is {ends.sealed}" in served


def test_our_client_has_no_word_with_who_has_only_null_ciphers(
    lasthop: RunClient, openssl: str, ends: Ends
) -> None:
    def command(port: int) -> list[str]:
        accept = ("-accept", f"127.0.0.1:{port}", "-cipher", NULL)
        return [openssl, "s_server", *ends.of_openssl, *ends.shown_by_openssl, *accept]

    at_a_port = listening_program if ends.served == "mqtt" else program_at_a_port
    with at_a_port(command) as (port, _):
        # Among themselves they speak in the clear.
        own = (*ends.of_openssl, "-cipher", NULL)
        assert "-NULL-SHA" in asked(openssl, port, *own)
        place = f"{ends.scheme}://127.0.0.1:{port}/door"
        verb = ("pub", place, "word") if ends.served == "mqtt" else ("get", place)
        done = lasthop(*verb, *ends.of_our_client)
    assert done.returncode == 4
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "(alert 40)" in done.stderr

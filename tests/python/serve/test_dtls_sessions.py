"""DTLS 1.2 sessions that are resumed by their identifiers: OpenSSL in both roles."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make
from tests.python.examples import build_example

from .conftest import PATIENCE_S, FindProgram, StartServer
from .test_dtls import ASK_FOR_LINKS, IDENTITY, KEY, program_at_a_port, read_until
from .test_tls_peers import secured

BY_KEY = ("-cipher", "PSK-AES128-CCM8", "-psk_identity", IDENTITY, "-psk", KEY)
BY_CERTIFICATE = ("-cipher", "ECDHE-ECDSA-AES128-CCM8")


@dataclass(frozen=True)
class Proof:
    """What both ends are told of who they are."""

    our_server: tuple[str, ...]
    our_client: tuple[str, ...]
    openssl_server: tuple[str, ...]
    openssl_client: tuple[str, ...]


@pytest.fixture
def openssl(find_program: FindProgram) -> str:
    return find_program("openssl", "openssl")


@pytest.fixture
def proof(request: pytest.FixtureRequest, tmp_path: Path, openssl: str) -> Proof:
    """By a key, or by a certificate of the server."""
    if request.param == "key":
        keys = tmp_path / "keys"
        keys.write_text(f"{IDENTITY}:{KEY}\n", encoding="utf-8")
        keys.chmod(0o600)
        own = (f"--dtls-psk={keys}",)
        return Proof(own, ("--psk", str(keys)), ("-nocert", *BY_KEY), BY_KEY)
    (folder := tmp_path / "ours").mkdir()
    files = make(openssl, folder, "ec")
    shown = ("-cert", str(files.certificate), "-key", str(files.key))
    return _by_certificate(files, shown)


def _by_certificate(files: Credentials, shown: tuple[str, ...]) -> Proof:
    authority = str(files.authority)
    return Proof(
        (*secured(files), "--dtls=1.2"),
        ("--cafile", authority),
        (*BY_CERTIFICATE, *shown),
        (*BY_CERTIFICATE, "-CAfile", authority),
    )


@pytest.fixture(scope="session")
def program() -> Path:
    return build_example("dtls_sessions")


def ask(*command: str) -> str:
    """Ask our server by OpenSSL, and give what it tells of the session."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdin is not None
        told = read_until(process, lambda said: b"Extended master secret" in said)
        process.stdin.write(ASK_FOR_LINKS)
        process.stdin.flush()
        told += read_until(process, lambda said: b"</" in said)
        told += process.communicate(timeout=PATIENCE_S)[0]
    return told.decode(errors="replace")


@pytest.mark.soak
@pytest.mark.parametrize("proof", ["key", "certificate"], indirect=True)
def test_openssl_resumes_its_session_with_our_server(
    serve: StartServer, openssl: str, proof: Proof, tmp_path: Path
) -> None:
    client = (openssl, "s_client", "-dtls1_2", *proof.openssl_client)
    session = str(tmp_path / "session")
    server = serve("coap", *proof.our_server)
    place = ("-connect", f"127.0.0.1:{server.port}")
    assert "New, TLSv1.2" in ask(*client, *place, "-sess_out", session)
    for _ in range(2):
        assert "Reused, TLSv1.2" in ask(*client, *place, "-sess_in", session)
    # A server that has never heard of it makes another.
    stranger = serve("coap", *proof.our_server)
    place = ("-connect", f"127.0.0.1:{stranger.port}")
    assert "New, TLSv1.2" in ask(*client, *place, "-sess_in", session)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("proof", "options", "expected"),
    [
        ("key", (), ["Full", "Resumed", "Resumed"]),
        ("certificate", (), ["Full", "Resumed", "Resumed"]),
        ("key", ("-no_cache",), ["Full", "Full", "Full"]),
    ],
    indirect=["proof"],
)
def test_we_resume_our_session_with_openssl(
    program: Path, openssl: str, proof: Proof, options: tuple[str, ...], expected: list[str]
) -> None:
    def command(port: int) -> list[str]:
        # With -listen, which asks for cookies, it hears its first client alone.
        accept = ("-accept", f"127.0.0.1:{port}")
        own = (*proof.openssl_server, *options)
        return [openssl, "s_server", "-dtls1_2", "-quiet", *accept, *own]

    with program_at_a_port(command) as (port, process):
        ours = [str(program), f"127.0.0.1:{port}", str(len(expected)), *proof.our_client]
        with subprocess.Popen(ours, stdout=subprocess.PIPE, text=True) as client:
            assert process.stdin is not None
            for _ in expected:
                read_until(process, lambda said: b"a word" in said)
                process.stdin.write(b"another\n")
                process.stdin.flush()
            told, _ = client.communicate(timeout=PATIENCE_S)
    assert [line for line in told.split() if line in {"Full", "Resumed"}] == expected
    assert client.returncode == 0

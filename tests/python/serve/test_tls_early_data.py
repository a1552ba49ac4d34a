"""Early data of TLS 1.3: OpenSSL in both roles.

`lasthop serve` takes none, since nothing that a server does may be done twice; the layer, which
studies have, does in a program of its own.
"""

import os
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make
from tests.python.examples import build_example

from .conftest import PATIENCE_S, FindProgram
from .test_dtls import port_above_a_free_one, read_until
from .test_tls_peers import wait_for


@pytest.fixture(scope="session")
def program() -> Path:
    return build_example("tls_early_data")


@pytest.fixture
def openssl(find_program: FindProgram) -> str:
    return find_program("openssl", "openssl")


@pytest.fixture
def files(openssl: str, tmp_path: Path) -> Credentials:
    return make(openssl, tmp_path, "ec")


def started(*command: str | Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "LC_ALL": "C"},
    )


def wait_until_kept(session: Path) -> None:
    """Wait for the file that OpenSSL writes when a ticket comes."""
    end = time.monotonic() + PATIENCE_S
    while not (session.exists() and session.stat().st_size > 0):
        assert time.monotonic() < end, "no ticket came"
        time.sleep(0.02)


@pytest.mark.soak
def test_our_client_says_its_first_word_early_to_openssl(
    program: Path, openssl: str, files: Credentials
) -> None:
    place = f"127.0.0.1:{port_above_a_free_one()}"
    own = ("-cert", files.certificate, "-key", files.key)
    with started(openssl, "s_server", "-tls1_3", "-early_data", "-accept", place, *own) as server:
        told = b""
        try:
            read_until(server, lambda said: b"ACCEPT" in said)
            with started(program, "ask", place, "3", files.authority) as client:
                assert server.stdin is not None
                for _ in range(3):
                    told += read_until(server, lambda said: b"a word" in said)
                    server.stdin.write(b"another\n")
                    server.stdin.flush()
                said, _ = client.communicate(timeout=PATIENCE_S)
        finally:
            server.kill()
            told += server.communicate()[0]
    assert said.decode().split() == ["Full", "Finished"] + ["Early", "Finished"] * 2
    assert told.count(b"Early data received") == 2


@pytest.mark.soak
def test_openssl_says_its_first_word_early_to_our_server(
    program: Path, openssl: str, files: Credentials, tmp_path: Path
) -> None:
    port = port_above_a_free_one()
    place = f"127.0.0.1:{port}"
    (early := tmp_path / "early").write_bytes(b"at once\n")
    session = tmp_path / "session"
    client = (openssl, "s_client", "-tls1_3", "-CAfile", files.authority, "-connect", place)
    with started(program, "serve", place, files.certificate, files.key) as server:
        try:
            wait_for(port)

            def ask(kept: Path, *options: str | Path) -> str:
                with started(*client, "-sess_out", kept, *options) as process:
                    assert process.stdin is not None
                    # Tickets come behind the handshake.
                    wait_until_kept(kept)
                    process.stdin.write(b"later\n")
                    process.stdin.flush()
                    told = read_until(process, lambda said: b"later" in said)
                    told += process.communicate(timeout=PATIENCE_S)[0]
                return told.decode(errors="replace")

            assert "Early data was not sent" in ask(session)
            again = ("-sess_in", session, "-early_data", early)
            said = ask(tmp_path / "second", *again)
            assert "Early data was accepted" in said
            assert "at once" in said
            # A ticket is good once: who has heard the first flight has nothing of it.
            assert "Early data was rejected" in ask(tmp_path / "third", *again)
        finally:
            server.kill()
            told = server.communicate()[0].decode().splitlines()
    heard = [line for line in told if line != "Finished"]
    first, second, third = ["Full", "heard: later"], ["Early", "heard: at once"], ["Full"]
    assert heard == [*first, *second, "heard: later", *third, "heard: later"]

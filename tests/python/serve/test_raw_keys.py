"""TLS 1.3 with bare public keys (RFC 7250) beside GnuTLS, in both roles."""

import os
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make, run
from tests.python.examples import build_example

from .conftest import PATIENCE_S, FindProgram
from .test_dtls import read_until
from .test_tls_peers import CONNACK, CONNECT

BARE = "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CTYPE-ALL:+CTYPE-CLI-RAWPK:+CTYPE-SRV-RAWPK"

MakeKeys = Callable[[str], Credentials]


@pytest.fixture(scope="session")
def program() -> Path:
    return build_example("raw_keys")


@pytest.fixture
def keys(tmp_path: Path, find_program: FindProgram) -> MakeKeys:
    """Return a function that makes a key of a name, its certificate, and its public half."""

    def made(name: str) -> Credentials:
        openssl = find_program("openssl", "openssl")
        (folder := tmp_path / name).mkdir()
        files = make(openssl, folder, "ec")
        run(openssl, "pkey", "-in", files.key, "-pubout", "-out", public(files))
        return files

    return made


def public(files: Credentials) -> Path:
    return files.key.with_suffix(".pub")


def of_gnutls(files: Credentials) -> tuple[str, ...]:
    bare = (f"--rawpkkeyfile={files.key}", f"--rawpkfile={public(files)}")
    return (*bare, f"--priority={BARE}")


@pytest.mark.smoke("GnuTLS")
def test_gnutls_shows_its_bare_key_to_our_server(
    program: Path, keys: MakeKeys, find_program: FindProgram
) -> None:
    gnutls, ours = find_program("gnutls-cli", "gnutls-bin"), keys("ours")
    server_command = list(map(str, [program, "serve", ours.certificate, ours.key]))
    with subprocess.Popen(
        server_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            assert select.select([server.stdout], [], [], PATIENCE_S)[0], "it does not listen"
            port = server.stdout.readline().strip().rpartition(":")[2]
            ask = [gnutls, "--insecure", "-p", port, "127.0.0.1"]
            with subprocess.Popen(
                [*ask, *of_gnutls(ours)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            ) as client:
                try:
                    assert client.stdin is not None
                    client.stdin.write(CONNECT)
                    client.stdin.flush()
                    told = read_until(client, lambda said: CONNACK in said)
                finally:
                    client.kill()
            assert b"TLS1.3-Raw Public Key" in told
            # Who has another key is refused before a word of MQTT.
            done = subprocess.run(
                [*ask, *of_gnutls(keys("strange"))],
                input=CONNECT,
                capture_output=True,
                timeout=PATIENCE_S,
                check=False,
            )
            assert done.returncode != 0
            assert CONNACK not in done.stdout
        finally:
            server.communicate(timeout=PATIENCE_S)


@pytest.mark.soak
def test_our_client_shows_its_bare_key_to_gnutls(
    program: Path, keys: MakeKeys, find_program: FindProgram
) -> None:
    gnutls, ours = find_program("gnutls-serv", "gnutls-bin"), keys("ours")
    # It listens on all addresses: its network has none but the loopback's.
    alone = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "-rn"]
    port = "5556"
    own = ["-p", port, "--echo", "--require-client-cert", *of_gnutls(ours)]
    up = 'ip link set lo up && exec "$@"'
    serve = [*alone, "sh", "-c", up, "sh", gnutls, *own]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            read_until(server, lambda said: b"...done" in said)
            inside = ["nsenter", "--net", f"--target={server.pid}"]
            if os.geteuid() != 0:
                inside += ["--user", "--preserve-credentials"]
            ask = [*inside, str(program), "ask", f"127.0.0.1:{port}"]
            # It is shaken hands with, and waits for an answer that GnuTLS has not.
            with subprocess.Popen([*ask, str(ours.certificate), str(ours.key)]) as client:
                try:
                    told = read_until(server, lambda said: b"Got 1 Raw public-key" in said)
                finally:
                    client.kill()
            assert b"TLS1.3-Raw Public Key" in told
            strange = keys("strange")
            done = subprocess.run(
                [*ask, str(strange.certificate), str(strange.key)],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            assert done.returncode == 1
            assert "signed by nobody" in done.stderr
        finally:
            server.kill()

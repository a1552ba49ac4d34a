"""`serve mqtt --tls-cert` and `mqtts://` against OpenSSL and mosquitto, in both roles."""

import contextlib
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make, run

from .conftest import PATIENCE_S, FindProgram, RunClient, Server, StartServer

CANARY = "the-payload-that-nobody-sees"


@pytest.fixture(params=["ec", "rsa", "ed25519"])
def credentials(
    request: pytest.FixtureRequest, tmp_path: Path, find_program: FindProgram
) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, str(request.param))


@pytest.fixture
def usual(tmp_path: Path, find_program: FindProgram) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


@pytest.fixture
def server(serve: StartServer, usual: Credentials) -> Server:
    return secured(serve, usual)


def secured(serve: StartServer, files: Credentials) -> Server:
    return serve("mqtt", f"--tls-cert={files.certificate}", f"--tls-key={files.key}")


def test_our_clients_speak_with_our_server(
    serve: StartServer, lasthop: RunClient, credentials: Credentials
) -> None:
    server = secured(serve, credentials)
    assert server.urls == [f"mqtts://127.0.0.1:{server.port}"]
    url, trust = f"{server.urls[0]}/door", f"--cafile={credentials.authority}"
    published = lasthop("pub", url, CANARY, "--retain", trust)
    assert (published.returncode, published.stderr) == (0, "")
    heard = lasthop("sub", url, "--count=1", "--timeout=30", trust)
    assert (heard.returncode, heard.stdout) == (0, f"{CANARY}\n")


@pytest.mark.soak
@pytest.mark.parametrize("version", ["tlsv1.2", "tlsv1.3"])
def test_mosquitto_speaks_with_our_server(
    server: Server, usual: Credentials, find_program: FindProgram, version: str
) -> None:
    place = ("-h", "127.0.0.1", "-p", server.port, "--cafile", usual.authority)
    common = (*place, "--tls-version", version, "-t", "door", "-q", "1")
    pub = find_program("mosquitto_pub", "mosquitto-clients")
    sub = find_program("mosquitto_sub", "mosquitto-clients")
    run(pub, *common, "-m", CANARY, "-r")
    assert run(sub, *common, "-C", "1", "-W", "30") == f"{CANARY}\n"


@pytest.fixture
def mosquitto(tmp_path: Path, usual: Credentials, find_program: FindProgram) -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(
        f"user root\nallow_anonymous true\nlistener {port} 127.0.0.1\n"
        f"cafile {usual.authority}\ncertfile {usual.certificate}\nkeyfile {usual.key}\n",
        encoding="utf-8",
    )
    program = find_program("mosquitto", "mosquitto")
    process = subprocess.Popen([program, "-c", str(settings)], stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    yield port
    process.terminate()
    process.wait(PATIENCE_S)


@pytest.mark.soak
def test_our_clients_speak_with_mosquitto(
    mosquitto: int, usual: Credentials, lasthop: RunClient
) -> None:
    url, trust = f"mqtts://127.0.0.1:{mosquitto}/door", f"--cafile={usual.authority}"
    for version in ("3.1.1", "5"):
        published = lasthop("pub", url, CANARY, "--retain", f"--version={version}", trust)
        assert (published.returncode, published.stderr) == (0, "")
        heard = lasthop("sub", url, "--count=1", f"--version={version}", "--timeout=30", trust)
        assert heard.stdout == f"{CANARY}\n"


@pytest.mark.soak
@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_openssl_verifies_and_resumes(
    server: Server, usual: Credentials, find_program: FindProgram, tmp_path: Path, version: str
) -> None:
    openssl = find_program("openssl", "openssl")
    ticket = tmp_path / "session"

    def connect(*options: object) -> str:
        command = [
            *(openssl, "s_client", "-connect", f"127.0.0.1:{server.port}", version),
            *("-CAfile", str(usual.authority), "-verify_return_error"),
            *(str(option) for option in options),
        ]
        # What is read ends with the patience of a broker that hears nothing of MQTT.
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            time.sleep(1)  # tickets of TLS 1.3 come behind the handshake
            return process.communicate("Q\n", timeout=PATIENCE_S)[0]

    first = connect("-sess_out", ticket)
    assert "Verify return code: 0 (ok)" in first
    assert "New, TLSv1" in first
    second = connect("-sess_in", ticket)
    assert "Reused, TLSv1" in second, second


def test_python_reads_the_alert_that_closes(server: Server, usual: Credentials) -> None:
    context = ssl.create_default_context(cafile=str(usual.authority))
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    with context.wrap_socket(plain, server_hostname="127.0.0.1") as secured_socket:
        # No MQTT: the broker ends it, and TLS says that this is all.
        secured_socket.sendall(b"\xff\xff\xff\xff")
        assert secured_socket.recv(100) == b""


def test_who_says_nothing_of_tls_is_refused_and_others_are_served(
    server: Server, usual: Credentials, lasthop: RunClient
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as plain:
        plain.sendall(b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02me")
        assert plain.recv(100)[:1] == b"\x15", "it is an alert"
    done = lasthop("pub", f"{server.urls[0]}/a", "b", f"--cafile={usual.authority}")
    assert done.returncode == 0


def test_who_never_says_hello_is_given_up(server: Server) -> None:
    silent = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    with silent, contextlib.suppress(ConnectionResetError):
        # An alert (0x15), then the end.
        assert silent.recv(1) == b"\x15"
        while silent.recv(64):
            pass


def test_a_server_that_cannot_be_believed_is_refused_in_one_line(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, find_program: FindProgram
) -> None:
    openssl = find_program("openssl", "openssl")
    folders = [tmp_path / name for name in ("ours", "strange", "old")]
    for folder in folders:
        folder.mkdir()
    ours, strange = (make(openssl, folder, "ec") for folder in folders[:2])
    url = f"{secured(serve, ours).urls[0]}/door"

    def refused(url: str, files: Credentials) -> str:
        done = lasthop("pub", url, CANARY, f"--cafile={files.authority}")
        assert (done.returncode, done.stdout) == (4, "")
        (line,) = done.stderr.splitlines()
        return line

    assert "signed by nobody in the CA file" in refused(url, strange)
    assert "not one for this name" in refused(url.replace("127.0.0.1", "localhost"), ours)
    alone = Credentials(ours.authority, ours.authority, ours.authority.with_name("ca.key"))
    assert "that of an authority (CA:TRUE)" in refused(
        f"{secured(serve, alone).urls[0]}/door", alone
    )
    old = make(openssl, folders[2], "ec", days=-1)
    assert "not valid today" in refused(f"{secured(serve, old).urls[0]}/door", old)


def test_credentials_that_are_missing_or_of_the_wrong_kind_are_told_with_their_place(
    lasthop: RunClient, usual: Credentials, tmp_path: Path
) -> None:
    nothing, words = tmp_path / "nothing", tmp_path / "words"
    words.write_text("no PEM\n", encoding="utf-8")
    cert, key = f"--tls-cert={usual.certificate}", f"--tls-key={usual.key}"
    for options, said in [
        ((cert,), "add --tls-key FILE"),
        ((key,), "add --tls-cert FILE"),
        ((cert, f"--tls-key={nothing}"), f"--tls-key: {nothing}: no such file"),
        ((f"--tls-cert={words}", key), f"--tls-cert: {words}: there is no certificate"),
        ((f"--tls-cert={usual.key}", key), f"--tls-cert: {usual.key}: there is no certificate"),
        ((cert, f"--tls-key={usual.certificate}"), f"--tls-key: {usual.certificate}: there is no"),
        ((f"--tls-cert={usual.authority}", key), f"--tls-key: {usual.key}: the key is not that"),
    ]:
        done = lasthop("serve", "mqtt", "--listen=127.0.0.1:0", *options)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        (line,) = done.stderr.splitlines()
        assert said in line
    for url, said in [
        ("mqtt://127.0.0.1/a", "does not use TLS; write mqtts://127.0.0.1/a"),
        ("mqtt://[::1]:7/a", "does not use TLS; write mqtts://[::1]:7/a"),
        ("mqtts://127.0.0.1/a", f"--cafile: {nothing}: no such file"),
    ]:
        done = lasthop("pub", url, "b", f"--cafile={nothing}")
        assert done.returncode == 2
        assert said in done.stderr


def test_no_secret_is_told(serve: StartServer, usual: Credentials) -> None:
    # A process from its start: what the kernel shows of a fork is the program that forked.
    options = (f"--tls-cert={usual.certificate}", f"--tls-key={usual.key}")
    server = serve("mqtt", *options, prefix=("env",))
    secret = "".join(usual.key.read_text(encoding="utf-8").splitlines()[1:-1])
    process = Path("/proc") / str(server.process.pid)
    told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    assert secret[:32].encode() not in told

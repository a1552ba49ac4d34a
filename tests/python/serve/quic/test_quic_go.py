"""`serve mqtt --quic` and `quic://` beside quic-go, in both roles."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, run
from benchmarks.quic_client import QuicClient
from tests.python.serve.conftest import COMMAND, PATIENCE_S, RunClient, StartServer

from .translator import Translator, translating

pytestmark = pytest.mark.soak

SOURCE = Path(__file__).parent / "quic_go"
SESSIONS = 3


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; the Go module proxy gives what it stands on."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is missing; scripts/soak installs it")
    program = tmp_path_factory.mktemp("quic_go") / "quic_go"
    subprocess.run([go, "build", "-o", program, "."], cwd=SOURCE, check=True)
    return program


@pytest.mark.parametrize("retries", [False, True])
def test_quic_go_publishes_to_our_server(
    program: Path, start: StartServer, files: Credentials, *, retries: bool
) -> None:
    host, port = start(*(["--quic-retry"] if retries else [])).place("quic")
    told = run(program, "client", f"{host}:{port}", files.authority, SESSIONS)
    first, *later = told.splitlines()
    assert first == "resumed=false early=false"
    assert later == ["resumed=true early=true"] * (SESSIONS - 1)


def test_quic_go_is_found_by_our_server_behind_a_translator_that_takes_another_port(
    program: Path, start: StartServer, files: Credentials
) -> None:
    with translating(start().place("quic")) as way:
        command = (program, "client", f"127.0.0.1:{way.port}", files.authority, SESSIONS, "again")
        moves_in_each(command, way)


@pytest.mark.parametrize("retries", [False, True])
def test_our_client_publishes_to_quic_go(
    program: Path, lasthop: RunClient, files: Credentials, *, retries: bool
) -> None:
    with listening(program, files, retries=retries) as server:
        host, _, port = publish_to(server, lasthop, files).partition(":")
        with QuicClient((host, int(port)), files.authority) as other:
            other.until(lambda: other.shaken is not None)
            assert other.has_heard_a_retry() == retries


def test_our_client_is_found_by_quic_go_behind_a_translator_that_takes_another_port(
    program: Path, files: Credentials
) -> None:
    with listening(program, files, retries=False) as server:
        is_told_from_each_port(server, files)


def moves_in_each(command: Sequence[object], way: Translator) -> None:
    """Have a client publish once more in each session, from another port."""
    with subprocess.Popen(
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        for _ in range(SESSIONS):
            assert client.stdout.readline().startswith("resumed=")
            way.rebinds_next = True
            client.stdin.write("\n")
            client.stdin.flush()
            assert client.stdout.readline() == "again\n"
        assert client.wait(timeout=PATIENCE_S) == 0
    # The first, and another one in each session.
    assert len(set(way.ports)) == 1 + SESSIONS


def is_told_from_each_port(server: "subprocess.Popen[str]", files: Credentials) -> None:
    """Have our client subscribe and acknowledge what it is told, each time from another port."""
    assert server.stdin is not None
    assert server.stdout is not None
    host, _, port = server.stdout.readline().strip().partition(":")
    with translating((host, int(port))) as way:
        url = f"quic://127.0.0.1:{way.port}/door"
        options = (
            f"--count={SESSIONS}",
            f"--timeout={PATIENCE_S:.0f}",
            f"--cafile={files.authority}",
        )
        with subprocess.Popen(
            [*COMMAND, "sub", url, *options], stdout=subprocess.PIPE, text=True
        ) as client:
            assert client.stdout is not None
            for _ in range(SESSIONS):
                # What acknowledges it leaves from another port at the latest.
                way.rebinds_next = True
                server.stdin.write("\n")
                server.stdin.flush()
                assert client.stdout.readline() == "open\n"
                assert server.stdout.readline() == "acknowledged\n"
            assert client.wait(timeout=PATIENCE_S) == 0
        assert len(set(way.ports)) == 1 + SESSIONS


def publish_to(server: "subprocess.Popen[str]", lasthop: RunClient, files: Credentials) -> str:
    """Publish by our client, which resumes by early data, and give the address of the server."""
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    done = lasthop(
        *("pub", f"quic://{address}/door", "open", f"--cafile={files.authority}"),
        *(f"--sessions={SESSIONS}", "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    later = SESSIONS - 1
    assert json.loads(done.stdout)["sessions"] == ["full", *(["early"] * later)]
    heard = [server.stdout.readline().strip() for _ in range(SESSIONS)]
    assert heard == ["resumed=false early=false", *(["resumed=true early=true"] * later)]
    return address


@contextmanager
def listening(
    program: Path, files: Credentials, *, retries: bool
) -> Iterator["subprocess.Popen[str]"]:
    """Serve until it is enough."""
    command = [str(program), "server", str(files.certificate), str(files.key)]
    command += ["retry"] if retries else []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            yield server
        finally:
            server.communicate(timeout=PATIENCE_S)

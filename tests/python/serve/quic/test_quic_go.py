"""`serve mqtt --quic` and `quic://` beside quic-go, in both roles."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, run
from benchmarks.quic_client import QuicClient
from tests.python.serve.conftest import PATIENCE_S, RunClient, StartServer, skip

pytestmark = pytest.mark.soak

SOURCE = Path(__file__).parent / "quic_go"
SESSIONS = 3


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; the Go module proxy gives what it stands on."""
    go = shutil.which("go")
    if go is None:
        skip("go is missing; scripts/soak installs it")
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


@pytest.mark.parametrize("retries", [False, True])
def test_our_client_publishes_to_quic_go(
    program: Path, lasthop: RunClient, files: Credentials, *, retries: bool
) -> None:
    with listening(program, files, retries=retries) as server:
        host, _, port = publish_to(server, lasthop, files).partition(":")
        with QuicClient((host, int(port)), files.authority) as other:
            other.until(lambda: other.shaken is not None)
            assert other.has_heard_a_retry() == retries


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

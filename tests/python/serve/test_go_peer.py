"""Our ends beside those of Go: the DTLS of pion, with connection IDs, and its TLS, with ML-KEM."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make, run

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .test_connection_ids import APPLICATION_DATA, WITH_CONNECTION_ID, translator
from .test_tls import CANARY
from .test_tls_peers import secured, shown

pytestmark = pytest.mark.soak

SOURCE = Path(__file__).parent / "go_peer"
IDENTITY = "meter-1"
KEY = "000102030405060708090a0b0c0d0e0f"
REQUESTS = 3
HYBRID = "X25519MLKEM768"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; the Go module proxy gives what it stands on."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is missing; scripts/soak installs it")
    program = tmp_path_factory.mktemp("go_peer") / "go_peer"
    subprocess.run([go, "build", "-o", program, "."], cwd=SOURCE, check=True)
    return program


@pytest.fixture
def ours(tmp_path: Path, find_program: FindProgram) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


@dataclass(frozen=True, slots=True)
class Ends:
    """How the ends know each other, as each of them is told."""

    of_pion: str
    of_our_server: tuple[str, ...]
    of_our_client: tuple[str, ...]


@pytest.fixture(params=["psk", "certificate"])
def ends(request: pytest.FixtureRequest, tmp_path: Path, ours: Credentials) -> Ends:
    if request.param == "psk":
        keys = tmp_path / "keys"
        keys.write_text(f"{IDENTITY}:{KEY}\n", encoding="utf-8")
        keys.chmod(0o600)
        return Ends(f"psk:{IDENTITY}:{KEY}", (f"--dtls-psk={keys}",), (f"--psk={keys}",))
    return Ends(
        f"certificate:{ours.authority}:{ours.certificate}:{ours.key}",
        ("--dtls=1.2", *secured(ours), f"--client-ca={ours.authority}"),
        (f"--cafile={ours.authority}", *shown(ours)),
    )


def test_pion_keeps_its_session_with_our_server_whatever_its_address(
    program: Path, serve: StartServer, lasthop: RunClient, ends: Ends
) -> None:
    server = serve("coap", *ends.of_our_server)
    put = lasthop("put", f"{server.urls[0]}/ps/door", CANARY, *ends.of_our_client)
    assert put.returncode == 0
    with translator(server.port) as way:
        told = run(program, "dtls-client", f"127.0.0.1:{way.port}", ends.of_pion, REQUESTS)
    assert told == f"{CANARY}\n" * REQUESTS
    # Each of its requests came from a port of its own.
    assert way.kinds.count(WITH_CONNECTION_ID) >= REQUESTS
    assert way.mappings > REQUESTS
    assert APPLICATION_DATA not in way.kinds


def test_our_client_sends_the_connection_ids_that_pion_gives(
    program: Path, lasthop: RunClient, ends: Ends
) -> None:
    with listening(program, "dtls-server", ends.of_pion) as (port, _), translator(port) as way:
        done = lasthop("get", f"coaps://127.0.0.1:{way.port}/door", *ends.of_our_client)
    assert (done.returncode, done.stdout) == (0, "door\n"), done.stderr
    assert WITH_CONNECTION_ID in way.kinds
    assert APPLICATION_DATA not in way.kinds


def test_go_exchanges_keys_of_ml_kem_with_our_server(
    program: Path, serve: StartServer, ours: Credentials
) -> None:
    server = serve("mqtt", *secured(ours))
    told = run(program, "tls-client", f"127.0.0.1:{server.port}", ours.authority)
    assert told == f"20020000 by {HYBRID}\n"


def test_go_exchanges_keys_of_ml_kem_with_our_client(
    program: Path, lasthop: RunClient, ours: Credentials
) -> None:
    with listening(program, "tls-server", str(ours.certificate), str(ours.key)) as (port, process):
        url = f"mqtts://127.0.0.1:{port}/door"
        done = lasthop("pub", url, CANARY, "--qos=0", f"--cafile={ours.authority}")
        assert (done.returncode, done.stderr) == (0, "")
        assert process.stdout is not None
        told = process.stdout.readline()
    assert CANARY in told
    assert told.endswith(f" by {HYBRID}\n")


@contextmanager
def listening(program: Path, *arguments: str) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """Serve until it is enough, at a port of this machine."""
    with subprocess.Popen(
        [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().rpartition(":")[2]), process
        finally:
            process.communicate(timeout=PATIENCE_S)

"""`serve coap --dtls 1.3` and `coaps://` beside the DTLS 1.3 of BoringSSL, in both roles."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make, run

from .conftest import FindProgram, RunClient, StartServer
from .test_tls import CANARY
from .test_tls_peers import secured, shown

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

ROOT = Path(__file__).parents[3]
SOURCE = Path(__file__).parent / "boringssl"
REQUESTS = 3


@pytest.fixture(scope="module")
def program() -> Path:
    """Build it, with BoringSSL from its sources: minutes, the first time."""
    for tool in ("cmake", "c++"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing; scripts/soak installs it")
    if not any(Path("/usr/lib").glob("*/libclang-[0-9]*.so*")):
        pytest.skip("libclang is missing; scripts/soak installs it")
    target = ROOT / "target/peers/boringssl"
    manifest = f"--manifest-path={SOURCE / 'Cargo.toml'}"
    build = ["cargo", "build", "--release", "--locked", "--quiet", manifest]
    # libclang reads what the compiler brings, too.
    headers = run("cc", "-print-file-name=include").strip()
    environment = {**os.environ, "BINDGEN_EXTRA_CLANG_ARGS": f"-isystem {headers}"}
    subprocess.run([*build, f"--target-dir={target}"], env=environment, check=True)
    return target / "release/boringssl_peer"


@pytest.fixture
def ours(tmp_path: Path, find_program: FindProgram) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


def of_boringssl(files: Credentials) -> tuple[Path, Path, Path]:
    return files.authority, files.certificate, files.key


@pytest.mark.parametrize("groups", ["P-256", "X25519:P-256"])
def test_boringssl_speaks_dtls_1_3_with_our_server(
    program: Path, serve: StartServer, lasthop: RunClient, ours: Credentials, groups: str
) -> None:
    """Whose first share our server has, and whose it asks for together with the cookie."""
    server = serve("coap", "--dtls=1.3", *secured(ours), f"--client-ca={ours.authority}")
    own = ("--dtls=1.3", f"--cafile={ours.authority}", *shown(ours))
    done = lasthop("put", f"{server.urls[0]}/ps/door", CANARY, *own)
    assert (done.returncode, done.stderr) == (0, "")
    address = f"127.0.0.1:{server.port}"
    told = run(program, "client", address, *of_boringssl(ours), groups, REQUESTS)
    assert told == f"{CANARY}\n" * REQUESTS


def test_our_client_speaks_dtls_1_3_with_boringssl(
    program: Path, lasthop: RunClient, ours: Credentials
) -> None:
    with subprocess.Popen(
        [program, "server", *of_boringssl(ours)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = f"coaps://{process.stdout.readline().strip()}/door"
            own = (f"--cafile={ours.authority}", *shown(ours))
            done = lasthop("get", url, "--dtls=1.3", *own)
            assert (done.returncode, done.stdout) == (0, "door\n"), done.stderr
        finally:
            process.kill()

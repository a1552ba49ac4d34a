"""`serve mqtt --quic` and `quic://` beside MsQuic, which EMQX builds on, in both roles."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, run
from tests.python.serve.conftest import RunClient, StartServer

from .test_quic_go import (
    SESSIONS,
    is_told_from_each_port,
    listening,
    moves_in_each,
    publish_to,
)
from .translator import translating

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

ROOT = Path(__file__).parents[4]
SOURCE = Path(__file__).parent / "msquic"


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """Build it, with MsQuic and its OpenSSL from their sources: minutes, the first time."""
    for tool in ("cmake", "make", "perl"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing; scripts/soak installs it")
    target = ROOT / "target/peers/msquic"
    manifest = f"--manifest-path={SOURCE / 'Cargo.toml'}"
    build = ["cargo", "build", "--release", "--locked", "--quiet", manifest]
    subprocess.run([*build, f"--target-dir={target}"], check=True)
    libraries = target.glob("release/build/msquic-*/out/lib")
    library = max(libraries, key=lambda it: it.stat().st_mtime)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_LIBRARY_PATH", str(library))
        yield target / "release/msquic_peer"


@pytest.mark.parametrize("retries", [False, True])
def test_msquic_publishes_to_our_server(
    program: Path, start: StartServer, files: Credentials, *, retries: bool
) -> None:
    _, port = start(*(["--quic-retry"] if retries else [])).place("quic")
    told = run(program, "client", port, files.authority, SESSIONS)
    # Whether its early data was taken MsQuic does not tell its clients.
    said = str(retries).lower()
    full, later = (f"resumed={resumed} retry={said}" for resumed in ("false", "true"))
    assert told.splitlines() == [full, *[later] * (SESSIONS - 1)]


@pytest.mark.parametrize("retries", [False, True])
def test_our_client_publishes_to_msquic(
    program: Path, lasthop: RunClient, files: Credentials, *, retries: bool
) -> None:
    with listening(program, files, retries=retries) as server:
        publish_to(server, lasthop, files)


def test_msquic_is_found_by_our_server_behind_a_translator_that_takes_another_port(
    program: Path, start: StartServer, files: Credentials
) -> None:
    with translating(start().place("quic")) as way:
        moves_in_each(
            (program, "client", way.port, files.authority, SESSIONS, "again"),
            way,
        )


def test_our_client_is_found_by_msquic_behind_a_translator_that_takes_another_port(
    program: Path, files: Credentials
) -> None:
    with listening(program, files, retries=False) as server:
        is_told_from_each_port(server, files)

"""The cases of the ETSI CoAP plugtests, by Californium's client."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Server, StartServer

JAVA = Path.home() / ".cache/lasthop/java/plugtest-3.14.0"
QUICK = (
    *(f"CORE_{number:02}" for number in (*range(1, 15), *range(17, 24), 31)),
    *(f"LINK_{number:02}" for number in range(1, 10)),
    *(f"BLOCK_{number:02}" for number in range(1, 7)),
)
LOSSY = ("CORE_15", "CORE_16")
OBSERVING = tuple(f"OBS_{number:02}" for number in (1, 2, 5, 6, 7, 8, 9, 10))
PATIENCE_S = 400.0
"""A server keeps a silent observer for some 93 s."""


def _run(server: Server, *cases: str) -> list[str]:
    java = shutil.which("java")
    if java is None or not (JAVA / "checker.jar").is_file():
        pytest.skip("the checker is missing; mvn -f tests/java/plugtest/pom.xml package")
    assert java is not None
    libraries = f"{JAVA / 'checker.jar'}:{JAVA / 'dependency'}/*"
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    command = [java, "-Xmx128m", quiet, "--class-path", libraries, "Plugtest"]
    command += [f"coap://127.0.0.1:{server.port}", *cases]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(QUICK, id="quick"),
        pytest.param((*LOSSY, *OBSERVING), id="loss and observations", marks=pytest.mark.soak),
    ],
)
def test_each_case_passes(serve: StartServer, cases: tuple[str, ...]) -> None:
    server = serve("coap", "--example", "plugtest")
    assert _run(server, *cases) == [f"{name} passed" for name in cases]


def test_a_server_without_the_resources_fails(serve: StartServer) -> None:
    assert _run(serve("coap"), "CORE_01", "CORE_31") == [
        "CORE_01 failed: the code is 4.04, not 2.05",
        "CORE_31 passed",
    ]

"""A gateway over HTTP/2, judged by h2spec: over TLS, and in the clear."""

import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from benchmarks.certificates import make

from .conftest import FindProgram, StartServer

pytestmark = pytest.mark.soak

SOURCE = Path(__file__).parent / "h2spec"
JUDGE = "github.com/summerwind/h2spec/cmd/h2spec"
EXPLAINED = {
    "http2/3.5: Sends invalid connection preface": "it ends, behind a 400 of HTTP/1.1: a client "
    "that begins so speaks that, which is served there, too"
}
"""What it finds fault with, and why that stays."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; the Go module proxy gives what it stands on."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is missing; scripts/soak installs it")
    program = tmp_path_factory.mktemp("h2spec") / "h2spec"
    subprocess.run([go, "build", "-o", program, JUDGE], cwd=SOURCE, check=True)
    return program


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_h2spec_finds_no_fault_that_is_not_explained(
    program: Path, serve: StartServer, tmp_path: Path, find_program: FindProgram, scheme: str
) -> None:
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    secured = scheme == "https"
    broker = "mqtts" if secured else "mqtt"
    server = serve(
        "gateway",
        "--http",
        f"--data={tmp_path / 'gateway'}",
        *(tls if secured else ()),
        listen=(f"{broker}://127.0.0.1:0", f"{scheme}://127.0.0.1:0"),
    )
    host, port = server.place(scheme)
    report = tmp_path / "report.xml"
    way = ("--tls", "--insecure") if secured else ()
    told = subprocess.run(
        [program, "--strict", *way, "-h", host, "-p", str(port), "-j", report],
        check=False,
        capture_output=True,
        text=True,
        timeout=500,
    )
    cases = list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314  (its own report)
    failed = {
        f"{case.get('package')}: {case.get('classname')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }
    assert len(cases) == 146, told.stdout
    assert failed == set(EXPLAINED), told.stdout
    assert server.stop() == 0

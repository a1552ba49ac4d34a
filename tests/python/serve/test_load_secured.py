"""A load of constrained devices on a server of TLS and QUIC is refused beforehand, in a line."""

from pathlib import Path

import pytest
from benchmarks.certificates import make

from .conftest import FindProgram, RunClient, Server, StartServer

STUDY = """
study: reports
duration: 1 s
traffic: {report: 100 B, every: 100 ms}
stacks: [mqtt qos=1]
repeat: 1
"""


@pytest.fixture
def secured(serve: StartServer, find_program: FindProgram, tmp_path: Path) -> Server:
    """Return a broker that is there by TLS and QUIC alone."""
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    return serve("mqtt", "--quic", *tls, listen=("mqtts://127.0.0.1:0", "quic://127.0.0.1:0"))


@pytest.mark.parametrize(
    "case",
    [
        ("mqtts", "mqtt", "mqtts is not built for sockets yet; write mqtt://"),
        ("quic", "mqtt", "quic is not built for sockets yet; write mqtt://"),
        ("mqtt", "mqtt/tls/tcp", "mqtt/tls/tcp is not built for sockets yet"),
        ("mqtt", "mqtt/quic/udp", "mqtt/quic/udp is not built for sockets yet"),
    ],
)
def test_a_load_over_tls_or_quic_is_refused_in_a_line(
    secured: Server, lasthop: RunClient, tmp_path: Path, case: tuple[str, str, str]
) -> None:
    against, stack, complaint = case
    host, port = secured.place("quic" if against == "quic" else "mqtts")
    (tmp_path / "study.yaml").write_text(STUDY)
    done = lasthop(
        *("load", str(tmp_path / "study.yaml"), "--device", "esp8266"),
        *("--against", f"{against}://{host}:{port}", "--out", str(tmp_path / "out")),
        *("--set", f"stacks=[{stack} qos=1]"),
    )
    assert done.returncode == 2, done.stderr
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()

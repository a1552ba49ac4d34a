"""A load of constrained devices on servers by TLS, DTLS, WebSocket and QUIC."""

import subprocess
from pathlib import Path

import polars as pl
import pytest
from benchmarks.certificates import Credentials, make
from tests.python.load.conftest import await_listener, free_port

from lasthop.outcome.results import Results

from .conftest import FindProgram, RunClient, Server, StartServer
from .test_dtls import port_above_a_free_one, program_at_a_port

# The ESP32 takes 1.2 s for a handshake by certificates, and 0.24 s for one by a key.
STUDY = """
study: reports
duration: 2500 ms
measure: {warm_up: 1500 ms, drain: 4 s, messages: each}
devices: 5
traffic: {report: 100 B, every: 200 ms}
stacks: [mqtt qos=1]
expect: ["delivery_ratio == 100 %"]
repeat: 1
"""


@pytest.fixture
def files(find_program: FindProgram, tmp_path: Path) -> Credentials:
    """Return the certificates of a server that is 127.0.0.1."""
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


@pytest.fixture
def secured(serve: StartServer, files: Credentials) -> Server:
    """Return a broker of ours that speaks MQTT in each way that is secured."""
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    ways = ("mqtts", "wss", "quic")
    return serve(
        "mqtt",
        *("--ws", "--quic", *tls),
        listen=tuple(f"{way}://127.0.0.1:0" for way in ways),
    )


def load(
    lasthop: RunClient, folder: Path, against: str, stack: str, *arguments: str
) -> "subprocess.CompletedProcess[str]":
    """Load a server by constrained devices."""
    (folder / "study.yaml").write_text(STUDY)
    return lasthop(
        *("load", str(folder / "study.yaml"), "--hardware=esp32", f"--against={against}"),
        *(f"--set=stacks=[{stack}]", f"--out={folder / 'out'}", "--quiet", "--no-report"),
        *arguments,
    )


def check_all_arrived(
    done: "subprocess.CompletedProcess[str]", folder: Path, *, handshake_s: float
) -> None:
    """Check that each message ended, each device behind its handshake."""
    assert done.returncode in {0, 3}, done.stderr  # 3: this machine was too busy to be believed
    results = Results(folder / "out")
    (run,) = results.runs.to_dicts()
    assert run["messages_offered"] == run["messages_delivered"] > 0, run["reason"]
    assert run["messages_failed"] == 0
    assert run["device_crashes_heap"] == 0
    first = results.messages.group_by("device").agg(pl.col("acknowledged_ns").min())
    assert len(first) == 5
    assert (first["acknowledged_ns"] >= handshake_s * 1e9).all()


@pytest.mark.parametrize(
    "by", [("mqtts", "mqtt/tls qos=1"), ("wss", "mqtt/ws/tls qos=1"), ("quic", "mqtt/quic qos=1")]
)
def test_reports_over_tls_and_quic_begin_behind_the_handshakes_of_devices(
    secured: Server, files: Credentials, lasthop: RunClient, tmp_path: Path, by: tuple[str, str]
) -> None:
    way, stack = by
    host, port = secured.place(way)
    cafile = f"--cafile={files.authority}"
    done = load(lasthop, tmp_path, f"{way}://{host}:{port}", stack, cafile)
    check_all_arrived(done, tmp_path, handshake_s=1.2)


@pytest.mark.soak
def test_reports_over_tls_arrive_through_mosquitto(
    files: Credentials, lasthop: RunClient, find_program: FindProgram, tmp_path: Path
) -> None:
    port = free_port()
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n"
        f"certfile {files.certificate}\nkeyfile {files.key}\n"
    )
    program = find_program("mosquitto", "mosquitto")
    with subprocess.Popen([program, "-c", str(settings)], stderr=subprocess.DEVNULL) as broker:
        try:
            await_listener(port)
            cafile = f"--cafile={files.authority}"
            done = load(lasthop, tmp_path, f"mqtts://127.0.0.1:{port}", "mqtt/tls qos=1", cafile)
        finally:
            broker.terminate()
    check_all_arrived(done, tmp_path, handshake_s=1.2)


@pytest.mark.soak
def test_reports_over_dtls_reach_who_observes_at_libcoap(
    lasthop: RunClient, find_program: FindProgram, tmp_path: Path
) -> None:
    program, keys = find_program("coap-server-openssl", "libcoap3-bin"), tmp_path / "keys"
    keys.write_text("meter:73656372657431\n")
    keys.chmod(0o600)

    def command(port: int) -> list[str]:
        # The secured port is the one above the plain one.
        return [program, "-A", "127.0.0.1", "-p", str(port - 1), "-k", "secret1", "-d", "100"]

    with program_at_a_port(command) as (port, _):
        against = f"coaps://127.0.0.1:{port}"
        done = load(lasthop, tmp_path, against, "coap/dtls type=con", f"--psk={keys}")
    check_all_arrived(done, tmp_path, handshake_s=0.24)


def test_a_certificate_of_nobody_is_one_line(
    secured: Server, find_program: FindProgram, lasthop: RunClient, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    cafile = f"--cafile={make(find_program('openssl', 'openssl'), other, 'ec').authority}"
    for way, stack in (("mqtts", "mqtt/tls"), ("wss", "mqtt/ws/tls"), ("quic", "mqtt/quic")):
        host, port = secured.place(way)
        done = load(lasthop, tmp_path, f"{way}://{host}:{port}", stack, cafile)
        (line,) = done.stderr.splitlines()
        assert done.returncode == 4, line
        why = "the server's certificate is signed by nobody in the CA file"
        assert f"--against {host}:{port}: " in line
        assert line.endswith(f" is not let in: {why}"), line


def test_a_wrong_key_is_one_line(serve: StartServer, lasthop: RunClient, tmp_path: Path) -> None:
    known, other = tmp_path / "known", tmp_path / "other"
    for file, key in ((known, "00" * 16), (other, "11" * 16)):
        file.write_text(f"meter:{key}\n")
        file.chmod(0o600)
    server = serve("coap", f"--dtls-psk={known}", listen=("coaps://127.0.0.1:0",))
    against = f"coaps://127.0.0.1:{server.port}"
    done = load(lasthop, tmp_path, against, "coap/dtls", f"--psk={other}")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 4, line
    assert "the server does not know this identity, or has another key for it" in line


@pytest.mark.parametrize(
    ("asked", "code", "complaint"),
    [
        (("raw_udp", "mqtt/tls"), 2, "no --against address fits mqtt/tls/tcp"),
        (("coaps", "coap/dtls"), 2, "dtls.auth=psk needs a pre-shared key; add --psk FILE"),
        (("coaps", "coap/dtls dtls.auth=certificate"), 2, "dtls"),
        (("quic", "mqtt/quic quic.fallback=raced"), 2, "remove quic.fallback"),
        (
            ("quic", "mqtt/quic"),
            4,
            "no server listens there; check the address, or start the server",
        ),
        (("mqtts", "mqtt/tls"), 4, "connection refused; check that the server is running"),
        (("raw_udp", "raw_udp", "--cafile=none.pem"), 2, "--cafile: no --against address uses TLS"),
        (("quic", "mqtt/quic", "--psk=none"), 2, "--psk: no --against address uses DTLS"),
        (("coaps", "coap/dtls", "--psk=TWO"), 2, 'no key for "device-0"'),
    ],
)
def test_what_cannot_be_secured_is_one_line(
    lasthop: RunClient, tmp_path: Path, asked: tuple[str, ...], code: int, complaint: str
) -> None:
    two, (way, stack, *options) = tmp_path / "two", asked
    two.write_text("a:00\nb:01\n")
    two.chmod(0o600)
    options = [option.replace("TWO", str(two)) for option in options]
    against = f"{way}://127.0.0.1:{port_above_a_free_one()}"
    done = load(lasthop, tmp_path, against, stack, *options)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, complaint in line) == (code, True), line

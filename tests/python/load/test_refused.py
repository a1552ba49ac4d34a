"""A load whose clients are not let in says who and why; an invalid one says its values."""

import itertools
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.python.load.conftest import Echo
from tests.python.load.test_load import ECHOES, PATIENCE_S, REPORTS, _load, _start, _study

from lasthop.cli.load import command
from lasthop.running import load_engine

Mosquitto = Callable[..., int]


def _refused(tmp_path: Path, port: int, *arguments: str) -> str:
    against = ("--against", f"mqtt://127.0.0.1:{port}", "--set", "expect=[]")
    done = _load(tmp_path, REPORTS, *against, *arguments)
    assert done.returncode == 4, done.stdout
    (line,) = done.stderr.splitlines()
    assert f"127.0.0.1:{port}: device_subscriber-0 is not let in: " in line, line
    return line


@pytest.mark.parametrize(
    ("version", "code", "why"),
    [("3.1.1", 5, "not authorised"), ("5", 135, "not authorised")],
)
def test_a_broker_that_does_not_know_the_password(
    mosquitto: Mosquitto, tmp_path: Path, version: str, code: int, why: str
) -> None:
    passwords = tmp_path / "passwords"
    made = ["mosquitto_passwd", "-b", "-c", str(passwords), "ann", "secret"]
    subprocess.run(made, check=True, capture_output=True)
    passwords.chmod(0o644)
    port = mosquitto("allow_anonymous false", f"password_file {passwords}")
    stack = f"stacks=[mqtt qos=1 version={version}]"
    line = _refused(tmp_path, port, "--set", stack, "--user", "ann:wrong")
    assert f"CONNACK with code {code}, {why}; look at --user" in line


def test_a_server_that_ends_connections_without_an_answer(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            with suppress(OSError):
                while True:
                    there, _ = server.accept()
                    there.recv(1)
                    there.close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        line = _refused(tmp_path, server.getsockname()[1], "--set", "stacks=[mqtt qos=1]")
    assert "ended the connection before it answered; does it want TLS?" in line


LATE = REPORTS.replace("devices: 20", "devices: 3").replace("duration: 3 s", "duration: 10 s")


def _speak_mqtt(client: socket.socket, code: int) -> None:
    """Answer as a broker of MQTT 3.1.1 that lets this client in, or refuses it by a code."""
    stream = client.makefile("rb")
    with suppress(OSError, IndexError), client, stream:
        while head := stream.read(1):
            length = shift = 0
            while (byte := stream.read(1)[0]) & 0x80:
                length, shift = length | (byte & 0x7F) << shift, shift + 7
            body = stream.read(length | byte << shift)
            topic = int.from_bytes(body[:2])
            match head[0] >> 4:
                case _ if code:
                    client.sendall(bytes([0x20, 2, 0, code]))
                    return
                case 1:
                    client.sendall(b"\x20\x02\0\0")
                case 3 if head[0] & 6:
                    client.sendall(b"\x40\x02" + body[2 + topic : 4 + topic])
                case 8:
                    client.sendall(b"\x90\x03" + body[:2] + b"\x01")
                case 12:
                    client.sendall(b"\xd0\0")


def test_who_is_refused_after_others_are_in_is_named_while_the_load_runs(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                for number in itertools.count():
                    client, _ = server.accept()
                    code = 5 if number >= 2 else 0
                    # The first are in by then.
                    time.sleep(0.5 if code else 0)
                    threading.Thread(target=_speak_mqtt, args=(client, code), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        port = server.getsockname()[1]
        stack = "stacks=[mqtt qos=1 version=3.1.1]"
        against = ("--against", f"mqtt://127.0.0.1:{port}", "--set", "expect=[]", "--set", stack)
        with _start(tmp_path, LATE, *against) as process:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "client_refused" in line)
            assert process.poll() is None, "the load had ended"
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE_S)
    assert f"server=127.0.0.1:{port}" in line
    assert "client=device-" in line
    assert "CONNACK with code 5, not authorised" in line


def test_an_invalid_load_says_what_it_measured(
    echo: Echo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    late = "lateness_max is 120.0 ms, above 100 ms"
    monkeypatch.setattr(load_engine, "too_late", lambda _: late)
    code = command(
        str(_study(tmp_path, ECHOES)),
        against=[f"raw_udp://127.0.0.1:{echo.port}"],
        out=tmp_path / "out",
        set_=["duration=1 s", "measure.drain=1 s"],
        no_report=True,
        quiet=True,
    )
    assert code == 3
    (line,) = [
        line for line in capsys.readouterr().out.splitlines() if line.startswith("invalid  raw_udp")
    ]
    assert "delivery 100 %, p50 " in line.replace("\N{NO-BREAK SPACE}", " ").replace(
        "\N{NARROW NO-BREAK SPACE}", " "
    )
    assert line.endswith(f"not an answer, since the generator was late: {late}")

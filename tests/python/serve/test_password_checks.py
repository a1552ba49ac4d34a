"""Passwords that take long to check are checked beside: whoever guesses makes nobody else wait."""

import base64
import hashlib
import select
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .conftest import PATIENCE_S, FindProgram, Server, StartServer
from .mqtt_packets import packet, text

ITERATIONS = 100_000
"""As many as a password file may have."""

CONNACK, WRONG, BUSY = b"\x20\x02\x00\x00", b"\x20\x02\x00\x04", b"\x20\x02\x00\x03"
PINGREQ, PINGRESP = b"\xc0\x00", b"\xd0\x00"
WAITING = 16
"""How many checks of one address wait; one more is under way."""


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    """Return a file in the form of mosquitto_passwd, for ann."""
    salt = b"twelve bytes"
    made = hashlib.pbkdf2_hmac("sha512", b"ann's", salt, ITERATIONS)
    written = [base64.b64encode(part).decode() for part in (salt, made)]
    path = tmp_path / "passwords"
    path.write_text(f"ann:$7${ITERATIONS}${'$'.join(written)}\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def says(stack: ExitStack, server: Server, name: str, password: str) -> socket.socket:
    """Connect and say who it is."""
    client = stack.enter_context(socket.create_connection(server.place("mqtt"), PATIENCE_S))
    head = text("MQTT") + bytes([4, 0b1100_0010]) + (60).to_bytes(2)
    client.sendall(packet(0x10, head + text(name) + text(name) + text(password)))
    return client


def ready(clients: list[socket.socket]) -> list[socket.socket]:
    return select.select(clients, [], [], 0)[0]


def test_who_is_connected_is_served_while_others_guess(
    serve: StartServer, password_file: Path, stack: ExitStack
) -> None:
    server = serve("mqtt", f"--password-file={password_file}")
    ann = says(stack, server, "ann", "ann's")
    assert ann.recv(4) == CONNACK
    guessing = [says(stack, server, f"guess {number}", "secret") for number in range(WAITING)]
    ann.sendall(PINGREQ)
    assert ann.recv(2) == PINGRESP
    # All of them cost the same, and the last one is far from being checked.
    assert guessing[-1] not in ready(guessing)
    # What was shown before is known: no check is needed.
    again = says(stack, server, "ann", "ann's")
    assert again.recv(4) == CONNACK
    assert guessing[-1] not in ready(guessing)
    assert [client.recv(4) for client in guessing] == [WRONG] * WAITING


def test_what_an_address_has_checked_is_bounded_and_another_address_has_its_turn(
    serve: StartServer, password_file: Path, stack: ExitStack
) -> None:
    server = serve("mqtt", f"--password-file={password_file}")
    count = 3 * WAITING
    guessing = [says(stack, server, f"guess {number}", "secret") for number in range(count)]
    elsewhere = stack.enter_context(
        socket.create_connection(server.place("mqtt"), PATIENCE_S, ("127.0.0.2", 0))
    )
    head = text("MQTT") + bytes([4, 0b1100_0010]) + (60).to_bytes(2)
    elsewhere.sendall(packet(0x10, head + text("ann") + text("ann") + text("ann's")))
    assert elsewhere.recv(4) == CONNACK
    assert guessing[WAITING - 1] not in ready(guessing)
    answers = [client.recv(4) for client in guessing]
    assert set(answers) == {WRONG, BUSY}
    assert answers[0] == WRONG
    assert answers.count(WRONG) >= WAITING


def test_packets_behind_a_connect_wait_for_its_check(
    serve: StartServer, password_file: Path, stack: ExitStack
) -> None:
    server = serve("mqtt", f"--password-file={password_file}")
    ann = says(stack, server, "ann", "ann's")
    ann.sendall(PINGREQ)
    answer = b""
    while len(answer) < 6:
        answer += ann.recv(6)
    assert answer == CONNACK + PINGRESP


def test_a_client_that_leaves_during_its_check_leaves_nothing(
    serve: StartServer, password_file: Path, stack: ExitStack
) -> None:
    server = serve("mqtt", f"--password-file={password_file}")
    for number in range(WAITING):
        client = says(stack, server, f"guess {number}", "secret")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    ann = says(stack, server, "ann", "ann's")
    assert ann.recv(4) == CONNACK


def test_a_request_of_coap_waits_for_its_check(
    serve: StartServer, password_file: Path, stack: ExitStack, find_program: FindProgram
) -> None:
    server = serve(
        "mqtt coap",
        f"--password-file={password_file}",
        listen=("mqtt://127.0.0.1:0", "coap://127.0.0.1:0"),
    )
    host, port = server.place("coap")
    asking = [find_program("coap-client-notls", "libcoap3-bin"), "-m", "put", "-e", "warm"]
    for name, password, said in (("ann", "ann's", ""), ("ann", "bob's", "4.01")):
        place = f"coap://{host}:{port}/ps/room?username={name}&password={password}"
        done = subprocess.run(
            [*asking, place], capture_output=True, text=True, timeout=PATIENCE_S, check=True
        )
        assert said in done.stdout + done.stderr
    asked = subprocess.run(
        [asking[0], "-m", "get", f"coap://{host}:{port}/ps/room?username=ann&password=ann's"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert asked.stdout.strip() == "warm"
    ann = says(stack, server, "ann", "ann's")
    assert ann.recv(4) == CONNACK

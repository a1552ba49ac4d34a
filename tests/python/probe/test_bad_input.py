"""What a probe and its server refuse, each in one line."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lasthop.probe.datagram import COUNT, ECHO, Datagram
from lasthop.probe.server import ProbeServer


@pytest.fixture
def server() -> Iterator[tuple[str, int]]:
    """Start a server of probes."""
    made = ProbeServer("127.0.0.1", 0)
    reading, writing = os.pipe()
    thread = threading.Thread(target=made.run, args=(reading,))
    address = made.address
    thread.start()
    yield address
    os.write(writing, b"x")
    thread.join()
    os.close(reading)
    os.close(writing)


def _lasthop(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "lasthop", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


CASES = {
    "no port": (("probe", "host:x"), 2, '"host:x" is not a host and a port; write for example'),
    "an unknown test": (
        ("probe", "127.0.0.1", "--test", "speed"),
        *(2, '--test: "speed" is not a test; write one of round_trip, loss, mtu, nat'),
    ),
    "a bound that is too small": (
        ("probe", "127.0.0.1", "--most", "1kB"),
        *(2, "--most: the tests can take 42.*; write a larger bound"),
    ),
    "a host that is not known": (
        ("probe", "no.such.host.invalid"),
        *(4, "no.such.host.invalid: .*; write the name or the address of a host"),
    ),
    "a server beside another": (
        ("serve", "probe", "mqtt"),
        *(2, "serve: probe runs alone and at one address"),
    ),
    "a server at no address": (
        ("serve", "probe", "--listen", "here"),
        *(2, "--listen: here is not an IP address and a port; write 127.0.0.1:7777"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_is_one_line(case: str, tmp_path: Path) -> None:
    arguments, code, message = CASES[case]
    out = ("--out", tmp_path / "out") if arguments[0] == "probe" else ()
    done = _lasthop(*arguments, *out)
    lines = done.stderr.strip().splitlines()
    assert (done.returncode, len(lines)) == (code, 1), done.stderr
    start, _, end = message.partition(".*")
    assert start in lines[0]
    assert end in lines[0]


def test_a_server_that_does_not_answer_is_named_before_anything_is_measured(
    tmp_path: Path,
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        done = _lasthop("probe", f"127.0.0.1:{port}", "--out", tmp_path, "--patience", "100ms")
    assert done.returncode == 4
    assert "no answer by UDP; start lasthop serve probe there" in done.stderr
    assert not (tmp_path / "raw.jsonl").exists()


def test_a_folder_of_another_server_or_of_something_else_is_refused(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    raw.write_text(json.dumps({"server": "elsewhere", "test": "mtu", "result": {}}) + "\n")
    done = _lasthop("probe", "127.0.0.1", "--out", tmp_path)
    assert "raw.jsonl:1: the folder has results of the server elsewhere" in done.stderr
    raw.write_text("[]\n")
    done = _lasthop("probe", "127.0.0.1", "--out", tmp_path)
    assert (done.returncode, "raw.jsonl:1: this is no result" in done.stderr) == (2, True)


def test_a_server_never_answers_with_more_than_it_was_asked_by(server: tuple[str, int]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(server)
        client.settimeout(5)
        for number in range(3):
            client.send(b"GET / HTTP/1.1\r\n\r\n" * 10)
            asked = Datagram(kind=ECHO, session=1, number=number, answer_bytes=60_000)
            client.send(asked.encode(40))
            content = client.recv(65_535)
            answer = Datagram.decode(content)
            assert answer is not None
            assert (len(content), answer.number, answer.counted) == (40, number, number + 1)
            assert answer.seen_port == client.getsockname()[1]
        client.send(Datagram(kind=COUNT, session=1, number=9).encode(32))
        told = Datagram.decode(client.recv(65_535))
        assert told is not None
        assert told.counted == 3

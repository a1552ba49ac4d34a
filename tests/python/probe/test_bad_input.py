"""What a probe and its server refuse, each in one line."""

import json
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lasthop.errors import EnvironmentFailure
from lasthop.probe.asking import Meter
from lasthop.probe.clocks import Clocks
from lasthop.probe.datagram import COUNT, ECHO, OTHER_PORT, SINK, TIMES, Datagram, decode_times
from lasthop.probe.measuring import measure_all
from lasthop.probe.plan import TESTS, ProbePlan
from lasthop.probe.record import Record
from lasthop.probe.server import ProbeServer

from .conftest import Address, serving, towards


def _lasthop(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "lasthop", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


CASES = {
    "no port": (("probe", "host:x"), 2, '"host:x" is not a host and a port; write for example'),
    "an unknown test": (
        ("probe", "127.0.0.1", "--test", "speed"),
        *(2, '--test: "speed" is not a test; write one of round_trip, idle, loss, mtu, rate'),
    ),
    "a bound that is too small": (
        ("probe", "127.0.0.1", "--most", "1kB"),
        *(2, "--most: the tests can take .*; write a larger bound"),
    ),
    "a host that is not known": (
        ("probe", "no.such.host.invalid"),
        *(4, "no.such.host.invalid: .*; write the name or the address of a host"),
    ),
    "a tariff that is not known": (
        ("probe", "127.0.0.1", "--tariff", "cheap"),
        *(2, '--tariff:.*"cheap"'),
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


def test_a_server_never_answers_with_more_than_it_was_asked_by(server: Address) -> None:
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


def _plan(*tests: str, datagrams: int = 20) -> ProbePlan:
    return ProbePlan(tests=tests, datagrams=datagrams, longest_idle_s=1, patience_s=0.2)


def _measured(address: Address, folder: Path, *tests: str, most: int | None = None) -> list[str]:
    """Measure, and give what was said meanwhile."""
    said: list[str] = []
    record = Record.open(folder, "here")
    measure_all(towards(address, most_bytes=most), _plan(*tests), record, said.append)
    return said


def test_a_port_that_is_taken_is_named_with_what_a_server_needs() -> None:
    with serving() as (host, port):
        for taken in (port, port - 1, port + 1):
            with pytest.raises(EnvironmentFailure, match="UDP and TCP at its port") as refused:
                ProbeServer(host, taken)
            assert "--listen" in str(refused.value)
            assert "\n" not in str(refused.value)


def test_a_server_that_goes_away_leaves_no_result_of_the_test_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = serving()
    address = stack.__enter__()  # it ends in the middle

    def stopping(*_: object, **__: object) -> dict[str, int]:
        stack.__exit__(None, None, None)
        return {"lost": 20}

    monkeypatch.setattr("lasthop.probe.measuring.losses", stopping)
    with pytest.raises(EnvironmentFailure, match="no answer any more after loss") as gone:
        _measured(address, tmp_path, "round_trip", "loss")
    assert "the data quota of the SIM, then start the same command again" in str(gone.value)
    assert "\n" not in str(gone.value)
    assert list(Record.open(tmp_path, "here").results) == ["round_trip"]
    monkeypatch.undo()
    with serving() as again:
        said = _measured(again, tmp_path, "round_trip", "loss")
    assert said == ["measuring loss"]
    assert list(Record.open(tmp_path, "here").results) == ["round_trip", "loss"]


def test_a_clock_that_is_set_changes_no_result_and_is_told(
    server: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day, calls = time.time(), iter(range(100))
    monkeypatch.setattr("lasthop.probe.clocks.time.time", lambda: day - 3600 * next(calls))
    said = _measured(server, tmp_path, "round_trip")
    assert len(said) == 2
    assert said[1].startswith("round_trip: the clock of this machine was set by -3600 s during")
    (trip, *_) = Record.open(tmp_path, "here").results["round_trip"]
    assert 0 < trip["minimum_ms"] <= trip["median_ms"]


def test_a_machine_that_sleeps_leaves_no_result(
    server: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = iter((Clocks(0.0, 0.0, 0.0), Clocks(40.0, 10.0, 40.0)))
    monkeypatch.setattr(Clocks, "read", lambda: next(read))
    with pytest.raises(EnvironmentFailure, match="round_trip: this machine slept for 30 s"):
        _measured(server, tmp_path, "round_trip")
    assert Record.open(tmp_path, "here").results == {}


def test_a_bound_of_bytes_that_ends_is_not_exceeded(server: Address, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="the bound of 3000 B is reached") as ended:
        _measured(server, tmp_path, "mapping", "round_trip", most=3000)
    assert "\n" not in str(ended.value)
    assert list(Record.open(tmp_path, "here").results) == ["mapping"]


def test_what_an_interrupted_probe_has_taken_counts_for_the_bound(tmp_path: Path) -> None:
    entry = {"server": "127.0.0.1", "test": "mtu", "used_bytes": 90_000, "result": {}}
    (tmp_path / "raw.jsonl").write_text(json.dumps(entry) + "\n")
    done = _lasthop("probe", "127.0.0.1", "--out", tmp_path, "--test=round_trip", "--most=100kB")
    assert done.returncode == 2
    assert "--most: the tests can take 47520 B after the 90 kB of before; write" in done.stderr


@pytest.mark.parametrize("test", TESTS)
def test_no_test_takes_more_than_it_says(test: str, server: Address, tmp_path: Path) -> None:
    plan = _plan(test)
    found = towards(server)
    found.meter.most_bytes = plan.most_bytes(found.overhead)
    record = Record.open(tmp_path, "here")
    measure_all(found, plan, record, lambda _: None)
    assert 0 < record.used_bytes <= found.meter.total_bytes <= found.meter.most_bytes


def test_a_meter_refuses_the_byte_beyond_its_bound() -> None:
    meter = Meter(most_bytes=100)
    meter.sent(60)
    meter.received(40)
    with pytest.raises(EnvironmentFailure, match="the bound of 100 B"):
        meter.sent(1)


def test_a_server_says_when_numbers_arrived_and_answers_from_its_other_port(
    server: Address,
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind(("127.0.0.1", 0))
        client.settimeout(5)
        for number in (0, 2, 2):
            client.sendto(Datagram(kind=SINK, session=3, number=number).encode(32), server)
        asked = Datagram(kind=TIMES, session=3, number=0, answer_bytes=32 + 4 * 4)
        client.sendto(asked.encode(48), server)
        times = decode_times(client.recv(100), 0)
        assert (sorted(times), times[0]) == ([0, 2], 0)
        client.sendto(Datagram(kind=OTHER_PORT, session=3).encode(32), server)
        assert client.recvfrom(100)[1][1] == server[1] + 1


@pytest.mark.parametrize("content", [b"", b"GET / HTTP/1.1\r\n\r\n" + b"x" * 20, b"LHP1" * 8])
def test_a_server_closes_a_connection_that_is_no_request(server: Address, content: bytes) -> None:
    with socket.create_connection(server, timeout=5) as client:
        client.sendall(content)
        client.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):  # where it had sent more than a request
            assert client.recv(100) == b""
    assert Datagram.decode(_tcp(server)) is not None


def _tcp(server: Address) -> bytes:
    with socket.create_connection(server, timeout=5) as client:
        client.sendall(Datagram(kind=ECHO, session=1).encode(32))
        return client.recv(100)


def test_a_server_of_ipv6_is_measured_and_one_of_ipv4_is_named_where_there_is_none(
    tmp_path: Path,
) -> None:
    only_ipv6 = "ip link set lo up; ip addr del 127.0.0.1/8 dev lo; "
    with_server = f"{sys.executable} -m lasthop serve probe --listen [::1]:7777 & pid=$!; "
    probe = f"{sys.executable} -m lasthop probe --out {tmp_path / 'net'} --test=round_trip "
    run = f"{only_ipv6}{with_server} sleep 3; {probe} 192.0.2.1; {probe} ::1 --json; kill $pid"
    command = ["unshare", "--user", "--map-root-user", "--net", "bash", "-c", run]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if "unshare failed" in done.stderr:
        pytest.skip("user namespaces are not allowed")
    assert "192.0.2.1: Network is unreachable; this machine has no IPv4; write the" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["round_trip"][0]["answered"] == 15

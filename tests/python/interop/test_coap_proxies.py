"""Our proxy for CoAP beside Californium's, which keeps, and libcoap's, which lets observe."""

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import floor
from pathlib import Path

import pytest

from .conftest import FindProgram

JAVA = Path.home() / ".cache/lasthop/java/californium_proxy-2.8.0"
READERS, EVERY_S, ASKS = 3, 0.7, 14
"""No answer is of an age at which a little more or less of it would matter."""
MAX_AGE_S = 3
CHANGES = 4
_HERE = "127.0.0.1"
GET, CONTENT = "1", "69"
FIELDS = ("coap.code", "coap.opt.max_age", "coap.opt.observe")
Rows = list[list[str]]
"""Messages, by these fields."""
_ACK, _GET, _CONTENT = 2, 1, 69
_OBSERVE, _MAX_AGE = 6, 14


@dataclass(slots=True)
class Log:
    """Datagrams of one side of a proxy, as text2pcap reads them."""

    lines: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, datagram: bytes) -> None:
        """Add a datagram."""
        with self.lock:
            self.lines.append(f"000000 {datagram.hex(' ')}\n")

    def read(self, folder: Path, find_program: FindProgram) -> Rows:
        """Give its messages, as Wireshark reads them."""
        text, packets = folder / "log.txt", folder / "log.pcap"
        text.write_text("".join(self.lines))
        to_packets = [find_program("text2pcap", "wireshark-common"), "-q", "-u", "5683,5683"]
        subprocess.run([*to_packets, text, packets], check=True, capture_output=True)
        return _read(packets, find_program)


def _read(packets: Path, find_program: FindProgram) -> Rows:
    command = [find_program("tshark", "tshark"), "-n", "-r", str(packets), "-Y", "coap"]
    command += ["-T", "fields", *(part for name in FIELDS for part in ("-e", name))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


class Origin:
    """A server that says for how long its answer is fresh."""

    def __init__(self) -> None:
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.bind((_HERE, 0))
        self.port: int = self.socket.getsockname()[1]
        self.log, self.observers = Log(), list[tuple[bytes, tuple[str, int]]]()
        self.serving = threading.Thread(target=self._serve, daemon=True)
        self.serving.start()

    def _serve(self) -> None:
        while True:
            asked, client = self.socket.recvfrom(2048)
            if not asked:
                return
            self.log.add(asked)
            if asked[1] != _GET:
                continue
            token = asked[4 : 4 + (asked[0] & 15)]
            observes = _observes(asked)
            if observes:
                self.observers.append((token, client))
            self._say(_ACK, asked[2:4], token, client, sequence=1 if observes else None)

    def _say(
        self,
        kind: int,
        number: bytes,
        token: bytes,
        client: tuple[str, int],
        *,
        sequence: int | None,
    ) -> None:
        head = bytes([0x40 | kind << 4 | len(token), _CONTENT]) + number + token
        observe = b"" if sequence is None else bytes([_OBSERVE << 4 | 1, sequence])
        delta = _MAX_AGE - (0 if sequence is None else _OBSERVE)
        long = bytes([0xD1, delta - 13]) if delta >= 13 else bytes([delta << 4 | 1])
        answer = head + observe + long + bytes([MAX_AGE_S]) + b"\xff" + b"x" * 45
        self.log.add(answer)
        self.socket.sendto(answer, client)

    def tell(self, sequence: int) -> None:
        """Notify all observers."""
        for number, (token, client) in enumerate(self.observers):
            self._say(1, bytes([sequence, number]), token, client, sequence=sequence)

    def close(self) -> None:
        """End it, by a datagram of nothing."""
        self.socket.sendto(b"", (_HERE, self.port))
        self.serving.join(timeout=5)
        self.socket.close()


def _observes(asked: bytes) -> bool:
    """Say whether a GET registers: whether it has the option, of no bytes."""
    place, option = 4 + (asked[0] & 15), 0
    while place < len(asked) and option < _OBSERVE:
        delta, length = asked[place] >> 4, asked[place] & 15
        option += delta
        if option == _OBSERVE:
            return length == 0
        place += 1 + length
    return False


def hear(reader: socket.socket, log: Log) -> None:
    """Wait for a state, and acknowledge it."""
    while (said := reader.recv(2048))[1] != _CONTENT:
        pass
    log.add(said)
    if said[0] >> 4 & 3 == 0:
        reader.send(b"\x60\x00" + said[2:4])


def read(port: int, log: Log) -> None:
    """Let readers ask by confirmable GETs, time and again and all at once."""
    began = time.monotonic()

    def reader(name: int) -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as mine:
            mine.connect((_HERE, port))
            mine.settimeout(5)
            for number in range(ASKS):
                time.sleep(max(0.0, began + number * EVERY_S - time.monotonic()))
                token = bytes([name, number])
                asked = b"\x42\x01" + token + token + b"\xb7reading"
                log.add(asked)
                mine.send(asked)
                hear(mine, log)

    readers = [threading.Thread(target=reader, args=(name,)) for name in range(READERS)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()


@pytest.fixture
def origin() -> Iterator[Origin]:
    """A server behind a proxy."""
    started = Origin()
    yield started
    started.close()


def _free_port() -> int:
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind((_HERE, 0))
        port: int = probe.getsockname()[1]
    return port


def _await(port: int) -> None:
    """Ping until there is an answer (RFC 7252 section 4.3)."""
    with socket.socket(type=socket.SOCK_DGRAM) as mine:
        mine.connect((_HERE, port))
        mine.settimeout(0.2)
        for _ in range(100):
            try:
                mine.send(b"\x40\x00\x00\x01")
                mine.recv(2048)
            except OSError:
                time.sleep(0.05)
            else:
                return
    raise AssertionError("the proxy does not answer")


@pytest.fixture
def californium(origin: Origin) -> Iterator[int]:
    """The port of Californium's proxy before the server."""
    java, port = shutil.which("java"), _free_port()
    if java is None or not (JAVA / "proxy.jar").is_file():
        pytest.skip("Californium is missing; mvn -f tests/java/californium_proxy/pom.xml package")
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    libraries = f"{JAVA / 'proxy.jar'}:{JAVA / 'dependency'}/*"
    command = [str(java), "-Xmx128m", quiet, "--class-path", libraries, "CaliforniumProxy"]
    command += [str(port), f"coap://{_HERE}:{origin.port}/f/0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        yield port
        assert running.stdin is not None
        running.stdin.close()
        running.wait(timeout=20)


@pytest.fixture
def libcoap(origin: Origin, find_program: FindProgram) -> Iterator[int]:
    """The port of libcoap's proxy before the server."""
    port = _free_port()
    program = find_program("coap-server-notls", "libcoap3-bin")
    leads_to = f"coap://{_HERE}:{origin.port},this"
    command = [program, "-A", _HERE, "-p", str(port), "-P", leads_to, "-v", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT) as running:
        _await(port)
        yield port
        running.terminate()
        running.wait(timeout=20)


def ours(folder: Path, find_program: FindProgram, study: str) -> tuple[Rows, Rows]:
    """Run a study in virtual time, and give what was said behind the proxy and before it."""
    (folder / "study.yaml").write_text(study)
    command = [sys.executable, "-m", "lasthop", "run", "study.yaml", "--capture", "--no-report"]
    subprocess.run([*command, "--out", "out", "--quiet"], cwd=folder, check=True)

    def messages(host: str) -> Rows:
        (file,) = (folder / "out" / "captures").glob(f"*.{host}.pcapng")
        return _read(file, find_program)

    readers = [messages(f"readers-{number}") for number in range(READERS)]
    return messages("origin-0"), [row for rows in readers for row in rows]


KEEPS = f"""
study: beside-californium
duration: {ASKS * EVERY_S:g} s
measure: {{warm_up: 0 s, drain: 5 s}}
paths: {{loopback: {{delay: 50 us}}}}
servers:
  origin: {{}}
  proxy: {{forwards: {{to: origin, path: loopback, stack: coap max_age={MAX_AGE_S}s, cache: 1 MB}}}}
fleet: {{readers: {{count: {READERS}, path: loopback, server: proxy, stack: coap}}}}
traffic: {{reading: {{to: readers, download: 45 B, every: {EVERY_S * 1000:g} ms, spread: 0 s}}}}
repeat: 1
"""


def _asked(rows: Rows) -> int:
    return sum(code == GET for code, *_ in rows)


def _max_ages(rows: Rows) -> Counter[int]:
    return Counter(int(max_age) for code, max_age, _ in rows if code == CONTENT)


def _kept(fresh_for_s: float, rounding: float) -> tuple[int, Counter[int]]:
    """Give how often a proxy that keeps so long asks, and what it tells of what is left."""
    a_time = int(fresh_for_s / EVERY_S) + 1
    ages = [ask % a_time * EVERY_S for ask in range(ASKS)]
    told = Counter(floor(MAX_AGE_S - age + rounding) for age in ages)
    return ages.count(0.0), told


@pytest.mark.soak
def test_the_server_is_asked_and_readers_are_told_what_is_left_as_by_californium(
    tmp_path: Path, find_program: FindProgram, origin: Origin, californium: int
) -> None:
    log = Log()
    read(californium, log)
    behind, before = (it.read(tmp_path, find_program) for it in (origin.log, log))
    # It rounds what is left to the nearest second, so that what has half a second left is over.
    times, told = _kept(MAX_AGE_S - 0.5, 0.5)
    assert _max_ages(before) == Counter({age: READERS * of_it for age, of_it in told.items()})
    # Each of those who ask at once makes it ask.
    asked = _asked(behind)
    assert times <= asked <= READERS * times, behind
    behind, before = ours(tmp_path, find_program, KEEPS)
    # Ours says no more than there is, and is asked once by all.
    times, told = _kept(MAX_AGE_S, 0)
    assert _asked(behind) == times
    assert _max_ages(before) == Counter({age: READERS * of_it for age, of_it in told.items()})


TELLS = f"""
study: beside-libcoap
duration: {CHANGES} s
measure: {{warm_up: 0 s, drain: 2 s}}
paths: {{loopback: {{delay: 50 us}}}}
servers:
  origin: {{}}
  proxy: {{forwards: {{to: origin, path: loopback, stack: coap max_age={MAX_AGE_S}s, cache: 1 MB}}}}
fleet:
  sensor: {{count: 1, path: loopback, server: origin, stack: coap max_age={MAX_AGE_S}s}}
  readers: {{count: {READERS}, path: loopback, server: proxy, stack: coap}}
traffic: {{state: {{from: sensor, to: all of readers, report: 45 B, every: 1 s, start: 1 s}}}}
repeat: 1
"""


def observe(port: int, origin: Origin, log: Log) -> None:
    """Let readers observe, and the server tell of some changes."""
    with contextlib.ExitStack() as opened:
        readers = [
            opened.enter_context(socket.socket(type=socket.SOCK_DGRAM)) for _ in range(READERS)
        ]
        for name, mine in enumerate(readers):
            mine.connect((_HERE, port))
            mine.settimeout(5)
            # It names the server, as who asks a forward proxy has to.
            asked = b"\x42\x01" + bytes([9, name, 9, name])
            mine.send(asked + b"\x31x" + b"\x30" + b"\x51f\x010" + b"\xd4\x0fcoap")
            hear(mine, log)
        for change in range(CHANGES):
            origin.tell(2 + change)
            for mine in readers:
                hear(mine, log)


def _told(rows: Rows) -> list[tuple[str, int]]:
    """Give the Max-Age of each notification, and whether it says that it is one."""
    notifications = [row for row in rows if row[0] == CONTENT]
    return [(max_age, int(observe != "")) for _, max_age, observe in notifications]


@pytest.mark.soak
def test_readers_are_told_what_libcoap_tells_them_and_the_server_tells_it_once(
    tmp_path: Path, find_program: FindProgram, origin: Origin, libcoap: int
) -> None:
    log = Log()
    observe(libcoap, origin, log)
    behind, before = (it.read(tmp_path, find_program) for it in (origin.log, log))
    # It passes each observation on by itself.
    assert (_asked(behind), len(_told(behind))) == (READERS, READERS * (1 + CHANGES))
    ours_behind, ours_before = ours(tmp_path, find_program, TELLS)
    assert (_asked(ours_behind), len(_told(ours_behind))) == (1, 1 + CHANGES)
    told = [(str(MAX_AGE_S), 1)] * READERS * (1 + CHANGES)
    assert _told(before) == _told(ours_before) == told

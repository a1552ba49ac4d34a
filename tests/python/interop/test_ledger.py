"""What dumpcap captures of foreign software, read by the classifier and counted by tshark."""

import json
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lasthop import _native
from lasthop.testbed import Namespace, Tun, missing_requirement

from .conftest import KERNEL, FindProgram
from .waiting import wait_for_port

pytestmark = pytest.mark.soak

MESSAGES = [f"message number {number}" for number in range(8)]
_PATIENCE_S = 60.0


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    """Give a namespace in which no host of ours is, so that no program of ours is built for it."""
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"tests beside real software need {missing}")
    with Namespace() as namespace:
        yield namespace


@pytest.fixture
def device(namespace: Namespace) -> Tun:
    """Give the device that has the address of the servers."""
    return namespace.tun("tun0", f"{KERNEL}/24")


@pytest.fixture
def capturing(
    namespace: Namespace, device: Tun, find_program: FindProgram, tmp_path: Path
) -> Callable[[], Any]:
    """Return a context in which dumpcap captures on the loopback of the namespace."""
    del device  # It has the address that servers bind.
    dumpcap = find_program("dumpcap", "wireshark-common")
    file = tmp_path / "foreign.pcapng"

    @contextmanager
    def capture() -> Iterator[Path]:
        process = namespace.start(
            dumpcap, "-q", "-i", "lo", "-w", str(file), stderr=subprocess.DEVNULL
        )
        _until(lambda: file.exists() and file.stat().st_size > 0)
        yield file
        settled = -1
        while file.stat().st_size != settled:  # dumpcap writes what it has every so often
            settled = file.stat().st_size
            time.sleep(1)
        process.terminate()
        process.wait(_PATIENCE_S)

    return capture


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def _ledger(file: Path) -> dict[str, Any]:
    ledger = _native.CaptureLedger()
    ledger.feed(file.read_bytes())
    ledger.end_of_file()
    told: dict[str, Any] = json.loads(ledger.finish())
    told["conversations"] = json.loads(ledger.conversations(0, told["conversation_count"]))
    return told


def _cells(told: dict[str, Any]) -> dict[str, int]:
    cells: dict[str, int] = {}
    for row in told["ledger"]:
        key = f"{row['layer']} {row['cause']}"
        cells[key] = cells.get(key, 0) + row["bytes"]
    return cells


@pytest.fixture
def dissect(find_program: FindProgram) -> Callable[..., list[list[str]]]:
    """Return a function that gives fields of the packets that a filter of tshark lets through."""
    tshark = find_program("tshark", "tshark")

    def fields(file: Path, only: str, *names: str) -> list[list[str]]:
        command = [tshark, "-n", "-r", str(file), "-Y", only, "-T", "fields"]
        for name in names:
            command += ["-e", name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    return fields


def _sum(rows: list[list[str]]) -> int:
    return sum(int(cell) for row in rows for cell in ",".join(row).split(",") if cell)


@pytest.fixture
def mosquitto(
    namespace: Namespace, device: Tun, find_program: FindProgram, tmp_path: Path
) -> tuple[str, str]:
    """Start a broker; give the programs that publish and subscribe."""
    del device
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(f"listener 1883 {KERNEL}\nallow_anonymous true\n", encoding="ascii")
    broker = find_program("mosquitto", "mosquitto")
    namespace.start(broker, "-c", str(settings), stderr=subprocess.DEVNULL)
    wait_for_port(namespace, "tcp", 1883)
    package = "mosquitto-clients"
    return find_program("mosquitto_pub", package), find_program("mosquitto_sub", package)


@pytest.mark.parametrize("arm", [f"mqttv{v} {qos}" for v in ("311", "5") for qos in range(3)])
def test_mosquitto_is_told_as_tshark_tells_it(
    namespace: Namespace,
    mosquitto: tuple[str, str],
    capturing: Callable[[], Any],
    dissect: Callable[..., list[list[str]]],
    arm: str,
) -> None:
    pub, sub = mosquitto
    version, qos = arm.split()
    common = ("-h", KERNEL, "-V", version, "-q", qos, "-t", "room/heat")
    with capturing() as file:
        namespace.run(pub, *common, "-r", "-m", MESSAGES[0])
        namespace.run(sub, *common, "-C", "1")
        for message in MESSAGES[1:]:
            namespace.run(pub, *common, "-m", message)
    cells = _cells(_ledger(file))
    payloads = dissect(file, "mqtt.msgtype == 3", "mqtt.msg")
    sent = sum(len(part) // 2 for (row,) in payloads for part in row.split(","))
    assert cells["application payload"] == sent > len("".join(MESSAGES))
    assert sum(count for cell, count in cells.items() if cell.startswith("application")) == _sum(
        dissect(file, "tcp", "tcp.len")
    )
    assert "application opaque" not in cells
    kinds = {
        "application session_set_up": (1, 2, 8, 9),
        "application acknowledgement": (4, 5, 6, 7),
        "application session_tear_down": (10, 11, 14),
        "application keep_alive": (12, 13),
    }
    lengths = dissect(file, "mqtt", "mqtt.msgtype", "mqtt.len")
    packets = [
        (int(kind), 2 + int(length))  # none of these is so long that its length takes two bytes
        for kinds_, lengths_ in lengths
        for kind, length in zip(kinds_.split(","), lengths_.split(","), strict=True)
    ]
    for cell, those in kinds.items():
        expected = sum(length for kind, length in packets if kind in those)
        assert cells.get(cell, 0) == expected, cell
    assert cells["ip header"] == _sum(dissect(file, "ip", "ip.hdr_len"))
    tcp = sum(count for cell, count in cells.items() if cell.startswith("tcp"))
    assert tcp == _sum(dissect(file, "tcp", "tcp.hdr_len"))


@pytest.mark.parametrize("kind", ["con", "non", "tcp"])
def test_libcoap_is_told_as_tshark_tells_it(
    namespace: Namespace,
    find_program: FindProgram,
    capturing: Callable[[], Any],
    dissect: Callable[..., list[list[str]]],
    kind: str,
) -> None:
    server, client = (
        find_program(name, "libcoap3-bin") for name in ("coap-server-notls", "coap-client-notls")
    )
    namespace.start(server, "-A", KERNEL, "-d", "10", stderr=subprocess.DEVNULL)
    wait_for_port(namespace, "tcp" if kind == "tcp" else "udp", 5683)
    scheme = "coap+tcp" if kind == "tcp" else "coap"
    options = ["-N"] if kind == "non" else []
    with capturing() as file:
        for message in MESSAGES:
            url = f"{scheme}://{KERNEL}/shelf"
            namespace.run(client, *options, "-m", "put", "-e", message, url)
            namespace.run(client, *options, "-m", "get", url)
        namespace.run(client, *options, "-m", "get", "-s", "2", f"{scheme}://{KERNEL}/time")
    told = _ledger(file)
    cells = _cells(told)
    above = sum(count for cell, count in cells.items() if cell.startswith("application"))
    if kind == "tcp":
        assert above == _sum(dissect(file, "tcp", "tcp.len"))
    else:
        datagrams = dissect(file, "udp && !icmp", "udp.length")
        assert above == _sum(datagrams) - 8 * len(datagrams)
    # A server may repeat itself to a client that has left, and ICMP quotes what did not arrive.
    carrying = "coap.payload_length && !icmp && !coap.retransmitted"
    assert cells["application payload"] == _sum(dissect(file, carrying, "coap.payload_length"))
    assert "application opaque" not in cells
    assert cells["application session_set_up"] > 0, "it observes"
    repeated = dissect(file, "coap.retransmitted && !icmp", "frame.number")
    assert told["repeated_packets"]["application"] == len(repeated)


USER, DISCOVERY = b"\0\0\1\2", b"\0\1\0\xc2"
"""Writers of a user, and of a participant."""


def _submessage(kind: int, flags: int, body: bytes, order: str) -> bytes:
    return struct.pack(f"{order}BBH", kind, flags | (order == "<"), len(body)) + body


def _sample(writer: bytes, number: int, order: str = "<", quality: bytes = b"") -> bytes:
    head = struct.pack(f"{order}HH", 0, 16) + b"\0\0\0\4" + writer
    count = struct.pack(f"{order}iI", 0, number)
    body = head + count + quality + b"\0\1\0\0" + MESSAGES[number].encode()
    return _submessage(0x15, 6 if quality else 4, body, order)


def _capture_of_rtps(*messages: bytes) -> bytes:
    """Give a file in pcap with messages in datagrams."""
    records = []
    for second, message in enumerate(messages):
        rtps = b"RTPS\2\3\1\x10" + bytes(12) + message
        datagram = struct.pack("!HHHH", 50_000, 7411, 8 + len(rtps), 0) + rtps
        header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(datagram), 0, 0, 64, 17, 0)
        packet = header + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + datagram
        records.append(struct.pack("<IIII", second, 0, len(packet), len(packet)) + packet)
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + b"".join(records)


def test_rtps_is_told_as_tshark_tells_it(
    dissect: Callable[..., list[list[str]]], tmp_path: Path
) -> None:
    time_stamp = _submessage(9, 0, bytes(8), "<")
    heartbeat = b"\0\0\0\4" + USER + struct.pack("<iIiII", 0, 1, 0, 3, 1)
    quality = struct.pack("<HH4sHH", 0x70, 4, b"abcd", 1, 0)
    file = tmp_path / "rtps.pcap"
    file.write_bytes(
        _capture_of_rtps(
            time_stamp + _sample(USER, 1) + _submessage(7, 0, heartbeat, "<"),
            _sample(USER, 2, quality=quality),
            _sample(USER, 3, order=">"),
            time_stamp + _sample(DISCOVERY, 1),
        )
    )
    told = _ledger(file)
    cells = _cells(told)
    assert [entry["protocol"] for entry in told["conversations"]] == ["rtps"]
    samples = dissect(file, "rtps.sm.wrEntityId == 0x102", "rtps.issueData")
    carried = sum(len(cell) // 2 for row in samples for cell in row)
    assert cells["application payload"] == carried == sum(map(len, MESSAGES[1:4]))
    assert cells["application acknowledgement"] == 4 + len(heartbeat)
    (discovery,) = dissect(file, "rtps.sm.wrEntityId == 0x100c2", "udp.length")
    stamped = 4 + 8
    assert cells["application session_set_up"] == int(discovery[0]) - 8 - stamped


def test_wireless_frames_are_counted_as_tshark_counts_them(
    find_program: FindProgram, tmp_path: Path
) -> None:
    """Radiotap and 802.11: QoS and plain data, four addresses, a beacon, an encrypted frame."""
    udp = struct.pack("!HHHH", 50_000, 5683, 8 + 20, 0) + bytes(20)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
    packet = ip + bytes([192, 0, 2, 1]) + bytes([192, 0, 2, 2]) + udp
    llc = b"\xaa\xaa\x03\0\0\0\x08\0"
    plain = struct.pack("<BBHII", 0, 0, 8, 0, 0)[:8]
    checked = struct.pack("<BBHIB", 0, 0, 9, 2, 0x10)
    addresses = bytes.fromhex("020000000001 020000000002 020000000003")

    def frame(kind: int, control: int, extra: bytes = b"") -> bytes:
        return bytes([kind, control, 0, 0]) + addresses + b"\x10\0" + extra + llc + packet

    frames = [
        plain + frame(0x08, 0x01),
        plain + frame(0x88, 0x02, b"\0\0"),
        checked + frame(0x88, 0x03, addresses[:6] + b"\0\0") + b"\0\0\0\0",
        plain + frame(0x80, 0x00),
        plain + frame(0x88, 0x41, b"\0\0"),
    ]
    records = [struct.pack("<IIII", 1, 0, len(it), len(it)) + it for it in frames]
    file = tmp_path / "wireless.pcap"
    file.write_bytes(
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127) + b"".join(records)
    )
    tshark = find_program("tshark", "tshark")
    command = [str(tshark), "-r", str(file), "-Y", "udp", "-T", "fields", "-e", "ip.len"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert shown == ["48"] * 3
    told = _ledger(file)
    assert (told["packets"], told["bytes"]) == (len(shown), sum(map(int, shown)))

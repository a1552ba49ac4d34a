"""`lasthop ledger`: captures of others and of our own, whole and broken."""

import gzip
import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from .conftest import Lasthop

RAW = 101
PAYLOAD = b"payload"


def publish(number: int) -> bytes:
    """Give an IP packet with a CoAP message of 4 + 1 + 7 B in a datagram."""
    message = struct.pack("!BBH", 0x50, 2, number) + b"\xff" + PAYLOAD
    datagram = struct.pack("!HHHH", 50_000, 5683, 8 + len(message), 0) + message
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(datagram), 0, 0, 64, 17, 0)
    return header + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + datagram


def pcap(*packets: bytes, link_type: int = RAW) -> bytes:
    """Give a file in pcap, with a packet a second."""
    records = (
        struct.pack("<IIII", second, 0, len(packet), len(packet)) + packet
        for second, packet in enumerate(packets)
    )
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type) + b"".join(records)


def told(lasthop: Lasthop, *arguments: str) -> dict[str, Any]:
    """Read a ledger as JSON."""
    done = lasthop("ledger", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    ledger: dict[str, Any] = json.loads(done.stdout)
    return ledger


def cells(ledger: dict[str, Any]) -> dict[str, int]:
    return {f"{row['layer']} {row['cause']}": row["bytes"] for row in ledger["ledger"]}


def test_the_first_line_is_the_answer(lasthop: Lasthop) -> None:
    (lasthop.folder / "one.pcap").write_bytes(pcap(publish(1), publish(2), publish(2)))
    done = lasthop("ledger", "one.pcap")
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first == (
        "one.pcap: 3 IP packets, 120 B in 2.000 s; payload 11.7 %; sent again 1 packet"
    )
    assert any(line.split()[:2] == ["ip", "header"] for line in rest)
    assert any(line.startswith("coap  10.0.0.1:50000  10.0.0.2:5683") for line in rest)


def test_json_sums_to_the_bytes_of_the_packets(lasthop: Lasthop) -> None:
    (lasthop.folder / "one.pcap").write_bytes(pcap(publish(1), publish(2)))
    ledger = told(lasthop, "one.pcap")
    assert cells(ledger) == {
        "ip header": 40,
        "udp header": 16,
        "application header": 10,
        "application payload": 14,
    }
    assert sum(cells(ledger).values()) == ledger["bytes"] == 80
    (conversation,) = ledger["conversations"]
    assert conversation["up"]["bytes"] + conversation["down"]["bytes"] == 80


def test_the_files_of_a_ring_buffer_are_one_capture(lasthop: Lasthop) -> None:
    (lasthop.folder / "1.pcap").write_bytes(pcap(publish(1)))
    (lasthop.folder / "2.pcap.gz").write_bytes(gzip.compress(pcap(publish(1))))
    ledger = told(lasthop, "1.pcap", "2.pcap.gz")
    assert ledger["repeated_packets"]["application"] == 1
    assert cells(ledger)["application retransmission"] == 12


def test_a_port_that_nobody_registered_is_read_where_it_is_said(lasthop: Lasthop) -> None:
    packet = publish(1).replace(struct.pack("!H", 5683), struct.pack("!H", 9999))
    (lasthop.folder / "one.pcap").write_bytes(pcap(packet))
    assert "application opaque" in cells(told(lasthop, "one.pcap"))
    assert "application payload" in cells(told(lasthop, "one.pcap", "--as", "9999=coap"))


def test_what_is_not_read_is_named(lasthop: Lasthop) -> None:
    arp = b"\xff" * 12 + b"\x08\x06" + b"\0" * 28
    ethernet = b"\0" * 12 + b"\x08\0"
    content = pcap(arp, ethernet + publish(1), ethernet + publish(2), link_type=1)
    (lasthop.folder / "one.pcap").write_bytes(content[:-3])
    done = lasthop("ledger", "one.pcap")
    assert done.returncode == 0
    assert "1 frame without IP, not counted" in done.stdout
    assert "the file ends within a packet: its last 67 B are left out" in done.stdout


def test_what_is_there_of_a_compressed_file_is_counted(lasthop: Lasthop) -> None:
    packets = [publish(number) for number in range(1000)]
    whole = gzip.compress(pcap(*packets))
    (lasthop.folder / "cut.pcap.gz").write_bytes(whole[: len(whole) // 2])
    ledger = told(lasthop, "cut.pcap.gz")
    assert ledger["unfinished_files"] == ["cut.pcap.gz"]
    assert 100 < ledger["packets"] < 1000
    done = lasthop("ledger", "cut.pcap.gz")
    said = "cut.pcap.gz: the compressed file ends early; what is there is counted"
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout.splitlines()


def test_what_stands_before_a_damage_is_counted(lasthop: Lasthop) -> None:
    whole = pcap(*(publish(number) for number in range(3)))
    (lasthop.folder / "damaged.pcap").write_bytes(whole + b"\xff" * 100)
    done = lasthop("ledger", "damaged.pcap")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("damaged.pcap: 3 IP packets, ")
    said = f"the file is damaged at byte {len(whole)}: what follows is left out"
    assert said in done.stdout.splitlines()


def test_all_conversations_are_in_the_json_the_largest_first(lasthop: Lasthop) -> None:
    ports = [struct.pack("!H", 10_000 + number) for number in range(5000)]
    old = struct.pack("!H", 50_000)
    packets = [publish(1).replace(old, port) for port in (*ports, ports[4321])]
    (lasthop.folder / "many.pcap").write_bytes(pcap(*packets))
    ledger = told(lasthop, "many.pcap")
    assert ledger["conversation_count"] == len(ledger["conversations"]) == 5000
    assert ledger["conversations"][0]["from"] == "10.0.0.1:14321"
    assert sum(it["up"]["bytes"] for it in ledger["conversations"]) == ledger["bytes"]


def test_a_capture_without_packets_is_one(lasthop: Lasthop) -> None:
    (lasthop.folder / "none.pcap").write_bytes(pcap())
    done = lasthop("ledger", "none.pcap")
    assert (done.returncode, done.stdout) == (0, "none.pcap: 0 IP packets\n")


BAD: dict[str, tuple[bytes, str]] = {
    "text": (b"study: cost\n", "is no capture; give a file in pcapng or pcap"),
    "empty": (b"", "is no capture; give a file in pcapng or pcap"),
    "short": (b"\x0a\x0d", "is no capture; give a file in pcapng or pcap"),
    "section": (b"\x0a\x0d\x0d\x0a" + b"\0" * 24, "byte 0: a section without a byte order"),
    "record": (pcap() + b"\xff" * 16, "byte 24: a packet longer than any"),
    "bad_gzip": (gzip.compress(pcap(publish(1)))[:-8] + bytes(8), "the compressed file is damaged"),
    "gzip_of_text": (gzip.compress(b"study: cost\n"), "is no capture"),
    "bluetooth": (
        pcap(b"\0" * 40, link_type=201),
        "the link layer (LINKTYPE 201) is not supported",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_capture_is_one_line_with_its_place(lasthop: Lasthop, name: str) -> None:
    content, expected = BAD[name]
    (lasthop.folder / "bad").write_bytes(content)
    done = lasthop("ledger", "bad")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"lasthop: bad: {expected}")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["missing.pcap"], "missing.pcap: there is no such file"),
        (["."], ".: is a folder, not a file"),
        (["fifo"], "fifo: is a FIFO, not a file"),
        (["one.pcap", "--as", "coap"], '--as: "coap" is not PORT=PROTOCOL'),
        (["one.pcap", "--as", "0=coap"], '--as: "0=coap" is not PORT=PROTOCOL'),
        (["one.pcap", "--as", "21=ftp"], "write a port and one of mqtt, coap, "),
        ([], "Missing argument 'FILE...'"),
    ],
)
def test_bad_arguments_are_one_line(lasthop: Lasthop, arguments: list[str], expected: str) -> None:
    (lasthop.folder / "one.pcap").write_bytes(pcap(publish(1)))
    os.mkfifo(lasthop.folder / "fifo")
    done = lasthop("ledger", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert expected in line


def test_names_of_files_stand_as_they_were_given(lasthop: Lasthop, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "one.pcap"
    path.parent.mkdir()
    path.write_bytes(pcap(publish(1)))
    assert told(lasthop, str(path))["files"] == [str(path)]

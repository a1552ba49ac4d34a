"""Packets behind link layers, as `lasthop ledger` and tshark count them."""

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lasthop import _native

from .conftest import FindProgram

Dissect = Callable[..., list[list[str]]]


@pytest.fixture
def dissect(find_program: FindProgram) -> Dissect:
    """Return a function that gives fields of the packets that a filter of tshark lets through."""
    tshark = find_program("tshark", "tshark")

    def fields(file: Path, only: str, *names: str) -> list[list[str]]:
        command = [str(tshark), "-n", "-r", str(file), "-Y", only, "-T", "fields"]
        command += [part for name in names for part in ("-e", name)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    return fields


def _ledger(file: Path) -> dict[str, Any]:
    ledger = _native.CaptureLedger()
    ledger.feed(file.read_bytes())
    ledger.end_of_file()
    told: dict[str, Any] = json.loads(ledger.finish())
    told["conversations"] = json.loads(ledger.conversations(0, told["conversation_count"]))
    return told


SHORT, LONG = bytes.fromhex("0100"), bytes.fromhex("8877665544332211")
"""Addresses of IEEE 802.15.4, as they go on the air: the last byte first."""
COAP = b"\x40\x02\x00\x01\xb1a\xff" + bytes(13)


def _frame(payload: bytes, number: int = 1, *, destination: bytes = LONG, kind: int = 1) -> bytes:
    """Make a frame of IEEE 802.15.4 from LONG, all ends in one PAN."""
    mode = 3 if len(destination) == len(LONG) else 2
    control = struct.pack("<H", kind | 1 << 6 | mode << 10 | 3 << 14)
    frame = control + bytes([number]) + b"\xcd\xab" + destination + LONG + payload
    return frame + _frame_check(frame)


def _frame_check(frame: bytes) -> bytes:
    """Give the CRC of IEEE 802.15.4: x^16 + x^12 + x^5 + 1, the lowest bit first."""
    register = 0
    for byte in frame:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x8408 if register & 1 else 0)
    return struct.pack("<H", register)


def _iphc(control: str, inline: str, udp: str, payload: bytes = COAP) -> bytes:
    return bytes.fromhex(control + inline + udp) + payload


_CHECK = "0000"
"""A checksum of zero: none of these is looked at."""
_NEIGHBOURS = _iphc("7e33", "", "f3b3" + _CHECK)
_LOWPAN = {
    "both addresses and ports from few bits": _NEIGHBOURS,
    "class, label, hops and addresses in full": _iphc(
        "6400",
        "3e012345 40" + "fd00" + 13 * "00" + "01" + "fd00" + 13 * "00" + "02",
        "f0c0001633" + _CHECK,
    ),
    "64 bits of an address, and 16 of another": _iphc(
        "7e12", "0011223344556677 0001", "f1c00033" + _CHECK
    ),
    "a label of 20 bits; the source has a port of few bits": _iphc(
        "6e33", "0abcde", "f2331633" + _CHECK
    ),
    "to a group of 8 bits": _iphc("7e3b", "fd", "f0c0001633" + _CHECK),
    "to a group of 32 bits": _iphc("7e3a", "05000001", "f0c0001633" + _CHECK),
    "to a group of 48 bits": _iphc("7e39", "050000000001", "f0c0001633" + _CHECK),
    "a hop-by-hop option": _iphc("7e33", "e1 06 63040000 0102", "f3b3" + _CHECK),
    "headers that are not compressed": b"\x41"
    + struct.pack("!IHBB", 6 << 28, 28, 17, 64)
    + bytes(15)
    + b"\x01"
    + bytes(15)
    + b"\x02"
    + struct.pack("!HHHH", 49152, 5683, 28, 0)
    + COAP,
}


def test_frames_of_802154_are_counted_as_tshark_counts_them(
    tmp_path: Path, dissect: Dissect
) -> None:
    """6LoWPAN in each form, in fragments, and in frames that carry none."""
    whole = 40 + 8 + len(COAP) + 160
    first = (
        b"\xc0" + bytes([whole]) + b"\0\x07" + _iphc("7e33", "", "f3b3" + _CHECK, COAP + bytes(12))
    )
    rest = [
        b"\xe0" + bytes([whole, 0, 7, at // 8]) + bytes(min(96, whole - at))
        for at in range(80, whole, 96)
    ]
    packets = [*_LOWPAN.values(), first, *rest]
    frames = [_frame(packet, number) for number, packet in enumerate(packets)]
    frames.append(_frame(_NEIGHBOURS, 90, destination=SHORT))
    # A beacon, an acknowledgement, and a fragment whose packet is lost.
    frames += [
        _frame(b"", 91, kind=0),
        b"\x02\0\x5c\xaa\xbb",
        _frame(b"\xe0\xff\0\x09\x10" + bytes(8), 92),
    ]
    for link_type in (195, 230, 283):
        tap = bytes.fromhex("00000c00 0000 0100 01000000") if link_type == 283 else b""
        captured = [tap + (it[:-2] if link_type == 230 else it) for it in frames]
        records = [struct.pack("<IIII", 1, 0, len(it), len(it)) + it for it in captured]
        file = tmp_path / f"{link_type}.pcap"
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
        file.write_bytes(head + b"".join(records))
        rows = dissect(file, "udp", "ipv6.plen", "udp.length", "udp.srcport", "udp.dstport")
        shown = [int(length) for length, *_ in rows]
        assert len(shown) == len(_LOWPAN) + 2
        told = _ledger(file)
        assert (told["packets"], told["bytes"]) == (len(shown), sum(shown) + 40 * len(shown))
        ports = {
            tuple(end.rpartition(":")[2] for end in (one["from"], one["to"]))
            for one in told["conversations"]
        }
        assert ports == {(source, destination) for *_, source, destination in rows}
        assert (told["frames_not_ip"], told["frames_of_incomplete_packets"]) == (2, 1)
        assert told["packets_damaged"] == 0


_PACKET = bytes.fromhex("4500003700010000401166b1 c0000201 c0000202 c35d1633 00230000") + (
    b"\x40\x02\0\x01\xb1a\xff" + bytes(20)
)
_ETHERNET = bytes(12)
_LINKS = {
    "LLC and SNAP": (1, _ETHERNET + b"\0\x3f\xaa\xaa\x03\0\0\0\x08\0"),
    "PPPoE, a protocol of two bytes": (1, _ETHERNET + b"\x88\x64\x11\0\0\x01\0\x39\0\x21"),
    "PPPoE, a protocol of one byte": (1, _ETHERNET + b"\x88\x64\x11\0\0\x01\0\x38\x21"),
    "MPLS, one label": (1, _ETHERNET + b"\x88\x47\0\x01\x01\x40"),
    "MPLS, two labels": (1, _ETHERNET + b"\x88\x47\0\x01\0\x40\0\x02\x01\x40"),
    "PPP in HDLC framing": (9, b"\xff\x03\0\x21"),
    "PPP, a protocol of one byte": (9, b"\x21"),
    "PPP, LINKTYPE 50": (50, b"\xff\x03\0\x21"),
}


@pytest.mark.parametrize(("link_type", "header"), _LINKS.values(), ids=_LINKS)
def test_a_packet_behind_a_link_layer_is_counted_as_tshark_counts_it(
    tmp_path: Path, dissect: Dissect, link_type: int, header: bytes
) -> None:
    frame = header + _PACKET
    file = tmp_path / "one.pcap"
    record = struct.pack("<IIII", 1, 0, len(frame), len(frame)) + frame
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    file.write_bytes(head + record)
    assert dissect(file, "coap", "ip.len", "coap.mid") == [["55", "1"]]
    told = _ledger(file)
    assert (told["packets"], told["bytes"], told["packets_damaged"]) == (1, 55, 0)

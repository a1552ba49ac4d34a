"""What a capture says of a message that came twice: under which identifier, with DUP or not."""

import struct

import pytest

from lasthop._native import CaptureSearch
from lasthop.outcome.publications import Publication, publications, repetition_in_words

NUMBERS = (1, 0, 2)
"""Of a device, of its flow there, and of a message."""
TEXT = CaptureSearch(*NUMBERS).text().encode()
DEVICE, BROKER = (b"\x0a\x00\x00\x02", 50_000), (b"\x0a\x00\x00\x01", 1883)


def publish(identifier: int, *, dup: bool = False, qos: int = 1) -> bytes:
    body = b"\x00\x01t" + identifier.to_bytes(2) + TEXT + b"." * 200
    length = bytes([len(body) & 0x7F | 0x80, len(body) >> 7])
    return bytes([0x30 | qos << 1 | dup << 3]) + length + body


def segment(sender: tuple[bytes, int], sequence: int, payload: bytes) -> bytes:
    receiver = BROKER if sender == DEVICE else DEVICE
    tcp = struct.pack(">HHIIBBHHH", sender[1], receiver[1], sequence, 0, 5 << 4, 0, 0, 0, 0)
    total = 20 + len(tcp) + len(payload)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, total, 0, 0, 64, 6, 0) + sender[0] + receiver[0]
    return ip + tcp + payload


def block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def searched(packets: list[bytes]) -> CaptureSearch:
    search = CaptureSearch(*NUMBERS)
    search.feed(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    search.feed(block(1, struct.pack("<HHI", 101, 0, 0)))
    for packet in packets:
        padded = packet + bytes(-len(packet) % 4)
        search.feed(block(6, struct.pack("<IIIII", 0, 0, 0, len(packet), len(packet)) + padded))
    return search


@pytest.mark.parametrize(
    ("packets", "told"),
    [
        ([segment(BROKER, 1, publish(7))], ""),
        (
            [segment(BROKER, 1, publish(7) + publish(7))],
            "the broker sent it twice under packet identifier 7, without DUP",
        ),
        (
            [segment(BROKER, 1, publish(7)), segment(BROKER, 900, publish(7, dup=True))],
            "the broker sent it twice under packet identifier 7, with DUP",
        ),
        (
            [segment(BROKER, 1, publish(7, qos=2)), segment(BROKER, 900, publish(8, qos=2))],
            "the broker sent it under packet identifiers 7 and 8",
        ),
        # TCP sent it again, and the broker did not.
        ([segment(BROKER, 1, publish(7)), segment(BROKER, 1, publish(7))], ""),
    ],
    ids=["once", "without DUP", "with DUP", "two identifiers", "a retransmission of TCP"],
)
def test_how_a_broker_repeats_a_message(packets: list[bytes], told: str) -> None:
    sent = segment(DEVICE, 1, b"\xc0\x00" + publish(3))
    found = publications(searched([sent, *packets]))
    assert repetition_in_words(found) == told
    assert found[0] == Publication("10.0.0.2:50000", 3, is_again=False)


def test_what_is_no_mqtt_says_nothing() -> None:
    broken = [
        b"",
        b"\x45",
        segment(DEVICE, 1, b"\x30"),
        segment(DEVICE, 1, b"\x30\xff\xff\xff\xff"),
    ]
    assert publications(searched([*broken, segment(DEVICE, 5, TEXT * 3)])) == []

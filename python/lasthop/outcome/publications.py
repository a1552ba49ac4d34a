"""The PUBLISH packets of a message in a capture, with packet identifier and DUP flag."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

_PACKET_BLOCK = 6
_HEAD = struct.Struct("<II")
_BODY = struct.Struct("<IIIII")
_TCP = 6
_PUBLISH = 3
_VERSION_4 = 4
_HEADER_6_BYTES = 40
_LARGEST_LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Publication:
    """A PUBLISH packet.

    Attributes
    ----------
    sender
        The address and port that it comes from.
    identifier
        Its packet identifier, None with QoS 0.
    is_again
        Whether DUP is set: its sender says that it may have sent it before.
    """

    sender: tuple[bytes, int]
    qos: int
    identifier: int | None
    is_again: bool


def publications(capture: Path, packets: Collection[int], text: bytes) -> list[Publication]:
    """Give each PUBLISH in these packets that holds a text, without those that TCP sent again.

    Packets are counted from 1. What is secured, or begins in an earlier packet, is not read.
    """
    found: list[Publication] = []
    seen: set[tuple[tuple[bytes, int], int]] = set()
    for number, packet in enumerate(_packets(capture), start=1):
        if number not in packets:
            continue
        with suppress(IndexError, struct.error):  # not what it looked like
            sender, sequence, payload = _segment(packet)
            for at, frame in _frames(payload):
                mark = (sender, sequence + at)
                if frame[0] >> 4 == _PUBLISH and text in bytes(frame) and mark not in seen:
                    seen.add(mark)
                    found.append(_publication(sender, frame))
    return found


def repetition_in_words(found: Sequence[Publication]) -> str:
    """Describe how a broker delivered a message twice, by its packets."""
    if not found:
        return ""
    back = [one for one in found[1:] if one.sender != found[0].sender]
    for place, one in enumerate(back):
        if any(one.identifier == other.identifier for other in back[:place]):
            again = "with DUP" if one.is_again else "without DUP"
            return f"the broker sent it twice under packet identifier {one.identifier}, {again}"
    if len(back) > 1:
        names = " and ".join(str(one.identifier) for one in back[:2])
        return f"the broker sent it under packet identifiers {names}"
    return ""


def _packets(capture: Path) -> Iterator[bytes]:
    """Give the IP packets of a pcapng file of ours."""
    with capture.open("rb") as file:
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            kind, length = _HEAD.unpack(head)
            body = file.read(max(0, length - _HEAD.size))
            if kind == _PACKET_BLOCK and len(body) >= _BODY.size:
                captured = _BODY.unpack_from(body)[3]
                yield body[_BODY.size : _BODY.size + captured]


def _segment(packet: bytes) -> tuple[tuple[bytes, int], int, memoryview]:
    """Give who sent a segment of TCP, its sequence number and what it carries."""
    if packet[0] >> 4 == _VERSION_4:
        header, protocol = 4 * (packet[0] & 15), packet[9]
        end, source = int.from_bytes(packet[2:4]), packet[12:16]
    else:
        header, protocol = _HEADER_6_BYTES, packet[6]
        end, source = _HEADER_6_BYTES + int.from_bytes(packet[4:6]), packet[8:24]
    if protocol != _TCP:
        raise IndexError
    port, _, sequence = struct.unpack_from(">HHI", packet, header)
    data = header + 4 * (packet[header + 12] >> 4)
    return (source, port), sequence, memoryview(packet)[data:end]


def _frames(payload: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Divide what a segment carries into the packets of MQTT that are whole in it, by place."""
    begin = 0
    while payload:
        length, at = 0, 1
        for at in range(1, _LARGEST_LENGTH_BYTES + 1):
            length |= (payload[at] & 0x7F) << (7 * (at - 1))
            if payload[at] < 0x80:  # noqa: PLR2004  (the last byte of a length)
                break
        end = at + 1 + length
        if end > len(payload):
            return
        yield begin, payload[:end]
        begin, payload = begin + end, payload[end:]


def _publication(sender: tuple[bytes, int], frame: memoryview) -> Publication:
    at = 2
    while frame[at - 1] & 0x80:
        at += 1
    topic = int.from_bytes(frame[at : at + 2])
    identifier = int.from_bytes(frame[at + 2 + topic : at + 4 + topic])
    qos = frame[0] >> 1 & 3
    return Publication(sender, qos, identifier if qos else None, bool(frame[0] & 8))

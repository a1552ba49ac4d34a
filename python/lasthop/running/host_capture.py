"""The packets of a host with several interfaces as one pcapng file, from one file of each."""

import heapq
import struct
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

_SECTION = 0x0A0D0D0A
_INTERFACE = 1
_PACKET = 6
_RAW_IP = 101
_NAME = 2
_RESOLUTION = 9
_NANOSECONDS = b"\x09"
_HEAD = struct.Struct("<II")
_LENGTH = struct.Struct("<I")
_PLACE = struct.Struct("<III")


class _Block(NamedTuple):
    """A block of a file of ours: little-endian, one section, one interface."""

    kind: int
    body: bytes

    @property
    def at_ns(self) -> int:
        """When a packet was seen."""
        _, high, low = _PLACE.unpack_from(self.body)
        return int(high << 32 | low)

    def by(self, interface: int) -> "_Block":
        """Give the packet as one of another interface of its section."""
        return self._replace(body=_LENGTH.pack(interface) + self.body[_LENGTH.size :])

    def to_bytes(self) -> bytes:
        length = _LENGTH.pack(_HEAD.size + len(self.body) + _LENGTH.size)
        return _LENGTH.pack(self.kind) + length + self.body + length


def merge(interfaces: Mapping[str, Path], into: Path) -> None:
    """Write the packets of all interfaces, by their names, in the order of time.

    Raises
    ------
    OSError
        If a file cannot be read or written.
    """
    opened = [path.open("rb") for path in interfaces.values()]
    try:
        sections = [_packets(file, number) for number, file in enumerate(opened)]
        with into.open("wb") as out:
            out.write(_section())
            for name in interfaces:
                out.write(_interface(name))
            for packet in heapq.merge(*sections, key=attrgetter("at_ns")):
                out.write(packet.to_bytes())
    finally:
        for file in opened:
            file.close()


def _packets(file: BinaryIO, interface: int) -> Iterator[_Block]:
    # What a full disk has cut off is not there.
    while len(head := file.read(_HEAD.size)) == _HEAD.size:
        kind, length = _HEAD.unpack(head)
        rest = file.read(length - _HEAD.size)
        if kind == _PACKET and len(rest) == length - _HEAD.size:
            yield _Block(kind, rest[: -_LENGTH.size]).by(interface)


def _section() -> bytes:
    """Begin a section of version 1.0 that is as long as the file."""
    return _Block(_SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)).to_bytes()


def _interface(name: str) -> bytes:
    fixed = struct.pack("<HHI", _RAW_IP, 0, 0)
    options = _option(_NAME, name.encode()) + _option(_RESOLUTION, _NANOSECONDS) + bytes(4)
    return _Block(_INTERFACE, fixed + options).to_bytes()


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

"""Parts a capture by the interfaces of its packets."""

import struct
from collections.abc import Iterator

INTERFACE, PACKET = 1, 6
"""Types of blocks (draft-ietf-opsawg-pcapng, sections 4.2 and 4.3)."""

_NAME = 2
"""The option ``if_name``."""


def only_of(side: str, capture: bytes) -> bytes:
    """Keep the packets of the interfaces of one side, and every other block."""
    kept: list[bytes] = []
    names: list[str] = []
    for kind, block in _blocks(capture):
        if kind == INTERFACE:
            names.append(_name(block))
        if kind != PACKET or names[_number(block, 8)].startswith(f"{side}/"):
            kept.append(block)
    return b"".join(kept)


def _blocks(capture: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    while start < len(capture):
        length = _number(capture, start + 4)
        yield _number(capture, start), capture[start : start + length]
        start += length


def _name(interface: bytes) -> str:
    at = 16
    while True:
        code, length = struct.unpack_from("<HH", interface, at)
        if code == _NAME:
            return interface[at + 4 : at + 4 + length].decode()
        at += 4 + -(-length // 4) * 4


def _number(block: bytes, at: int) -> int:
    (number,) = struct.unpack_from("<I", block, at)
    return int(number)

"""A capture of a device that reports each hour, whose invoices can be computed by hand."""

import struct
from pathlib import Path

RAW = 101
HOURS = 240
"""Ten days, so that no record of hours or of a day is cut."""

DEVICE, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


def packet(size: int, *, up: bool) -> bytes:
    """Give an IP packet of this size with a datagram of what nobody knows."""
    ports = (40_000, 7_777) if up else (7_777, 40_000)
    ends = DEVICE + SERVER if up else SERVER + DEVICE
    datagram = struct.pack("!HHHH", *ports, size - 20, 0) + bytes(size - 28)
    return struct.pack("!BBHHHBBH", 0x45, 0, size, 0, 0, 64, 17, 0) + ends + datagram


def hourly(folder: Path, *, hours: int = HOURS, up: int = 100, down: int = 60) -> Path:
    """Write a capture with a report of 100 B and an answer of 60 B a second later, each hour."""
    records = []
    for hour in range(hours):
        for second, found in ((0, packet(up, up=True)), (1, packet(down, up=False))):
            at = 3600 * hour + second
            records.append(struct.pack("<IIII", at, 0, len(found), len(found)) + found)
    file = folder / "hourly.pcap"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW)
    file.write_bytes(head + b"".join(records))
    return file

"""How fast `lasthop ledger` reads a capture, and what memory it takes.

    python benchmarks/capture_ledger.py

It writes captures of MQTT connections, each ten times the one before, and prints for each the size,
the CPU time of the command with its start, the rate and the peak of memory. Nothing is asserted.
"""

import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

CONNECTIONS = 30
MESSAGES = (100, 1_000, 10_000)
"""Of each connection, in each capture."""

_CONNECT = b"\x10\x0d\0\x04MQTT\x05\x02\0\x3c\0\0\0"
_PUBLISH = b"\x30\x8c\x03\0\3abc\0" + bytes(390)
_SYN, _ACK = 2, 16
_BROKER = 1883


def main() -> None:
    """Measure each size."""
    with tempfile.TemporaryDirectory() as folder:
        for messages in MESSAGES:
            file = Path(folder) / "capture.pcap"
            with file.open("wb") as out:
                out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
                for port in range(20_000, 20_000 + CONNECTIONS):
                    out.writelines(_records(port, messages))
            size_mb = file.stat().st_size / 1e6
            cpu_s, peak_mib = _measure(file)
            rate = f"{size_mb / cpu_s:6.0f} MB a CPU second"
            sys.stdout.write(f"{size_mb:7.1f} MB  {cpu_s:5.2f} s  {rate}  {peak_mib:5.0f} MiB\n")


def _measure(file: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "lasthop", "ledger", str(file), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(os.waitstatus_to_exitcode(status))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _records(port: int, messages: int) -> Iterator[bytes]:
    """Give a connection in records of pcap: set-up, messages, each acknowledged."""
    sent = 1
    packets = [_segment(port, _BROKER, 0, _SYN), _segment(_BROKER, port, 0, _SYN | _ACK, ack=1)]
    for data in (_CONNECT, *[_PUBLISH] * messages):
        packets.append(_segment(port, _BROKER, sent, _ACK, data, ack=1))
        sent += len(data)
        packets.append(_segment(_BROKER, port, 1, _ACK, ack=sent))
    for number, packet in enumerate(packets):
        yield struct.pack("<IIII", number // 1000, number % 1000, len(packet), len(packet))
        yield packet


def _segment(  # noqa: PLR0913  (a header has so many fields)
    source: int, destination: int, seq: int, flags: int, data: bytes = b"", *, ack: int = 0
) -> bytes:
    ends = (1, 2) if destination == _BROKER else (2, 1)
    head = struct.pack("!HHIIBBHHH", source, destination, seq, ack, 0x50, flags, 65535, 0, 0)
    length = 40 + len(data)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, length, 0, 0, 64, 6, 0)
    return ip + b"".join(bytes([10, 0, 0, end]) for end in ends) + head + data


if __name__ == "__main__":
    main()

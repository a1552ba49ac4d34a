"""Segments as text, and as the packets of a scripted peer."""

from __future__ import annotations

import re
import socket
import struct
from dataclasses import dataclass, field

PEER_BASE = 0xFFFF_FFFF - 2000
"""The peer's first number: so that the stream soon wraps."""

_PEER_CLOCK = 0xFFFF_FF00 - 1000
_WRAP = 1 << 32
_SYN, _FIN, _ACK = 0x02, 0x01, 0x10
_FLAGS = {"S": _SYN, "F": _FIN, "R": 0x04, "P": 0x08, ".": _ACK}
_TEXT = re.compile(r"(?P<flags>[SFRP.]+) (?P<seq>\d+):\d+\((?P<length>\d+)\)(?P<rest>.*)")
_OPTIONS = re.compile(r"<(.*)>")
_HEADER = struct.Struct("!HHIIBBHHH")
_TCP_OFFSET = 20


@dataclass(slots=True)
class Bases:
    """What the numbers of a script are relative to, and who speaks.

    Attributes
    ----------
    peer, kernel
        Addresses and ports; the kernel's port changes when it opens.
    ours
        The kernel's first number.
    clock
        The kernel's first time stamp.
    """

    peer: tuple[str, int]
    kernel: tuple[str, int]
    ours: int = 0
    clock: int | None = None


@dataclass(slots=True)
class Segment:
    """A segment, in the numbers of a script."""

    flags: int
    seq: int
    length: int
    ack: int = 0
    window: int = 0
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Segment:
        """Read a line of a script.

        Raises
        ------
        ValueError
            If it is none.
        """
        if (match := _TEXT.match(text)) is None:
            raise ValueError(f"no segment: {text}")
        rest = match["rest"]
        options = {}
        if (listed := _OPTIONS.search(rest)) is not None:
            options = {o.split()[0]: " ".join(o.split()[1:]) for o in listed[1].split(",")}
        words = rest.split("<")[0].split()
        fields = dict(zip(words[::2], words[1::2], strict=True))
        return cls(
            flags=sum(_FLAGS[letter] for letter in match["flags"]),
            seq=int(match["seq"]),
            length=int(match["length"]),
            ack=int(fields.get("ack", 0)),
            window=int(fields["win"]),
            options=options,
        )

    @classmethod
    def read(cls, packet: bytes, bases: Bases) -> Segment:
        """Read a packet of the kernel; its SYN sets what numbers are relative to."""
        tcp = packet[_TCP_OFFSET:]
        source, _, seq, ack, offset, flags, window, *_ = _HEADER.unpack_from(tcp)
        header = (offset >> 4) * 4
        options = dict(_read_options(tcp[_HEADER.size : header]))
        if flags & _SYN:
            bases.ours = seq
            bases.kernel = bases.kernel[0], source
        if "TS" in options:
            value, echo = map(int, options["TS"].split())
            if bases.clock is None:
                bases.clock = value
            echo = (echo - _PEER_CLOCK) % _WRAP if echo else 0
            options["TS"] = f"{(value - bases.clock) % _WRAP} {echo}"
        return cls(
            flags=flags,
            # A reset without a connection has no number to be relative to.
            seq=(seq - bases.ours) % _WRAP if seq else 0,
            length=len(tcp) - header,
            ack=(ack - PEER_BASE) % _WRAP if flags & _ACK else 0,
            window=window,
            options=options,
        )

    def packet(self, bases: Bases) -> bytes:
        """Return the packet with which the peer says this."""
        options = self._option_bytes(bases)
        length = _HEADER.size + len(options) + self.length
        ack = (bases.ours + self.ack) % _WRAP if self.flags & _ACK else 0
        header = _HEADER.pack(
            bases.peer[1],
            bases.kernel[1],
            (PEER_BASE + self.seq) % _WRAP,
            ack,
            (_HEADER.size + len(options)) // 4 << 4,
            self.flags,
            self.window,
            0,
            0,
        )
        addresses = socket.inet_aton(bases.peer[0]) + socket.inet_aton(bases.kernel[0])
        tcp = header + options + b"y" * self.length
        total = checksum(addresses + struct.pack("!HH", socket.IPPROTO_TCP, length) + tcp)
        tcp = tcp[:16] + struct.pack("!H", total) + tcp[18:]
        ip = struct.pack("!BBHIBBH", 0x45, 0, 20 + length, 0x4000, 64, socket.IPPROTO_TCP, 0)
        ip += addresses
        return ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + tcp

    @property
    def carries(self) -> bool:
        """Whether it takes numbers of the stream: data, a beginning or an end."""
        return bool(self.length or self.flags & (_SYN | _FIN))

    def text(self) -> str:
        """Return the line of a script, without what a stack says of its own."""
        essence, _, options = self.essence().partition(" <")
        stamps = self.options.get("TS")
        if stamps:
            options = re.sub(r"TS \d+", f"TS {stamps}", options)
        return f"{essence} win {self.window}" + (f" <{options}" if options else "")

    def essence(self) -> str:
        """Return what two stacks must agree on.

        Buffers and clocks differ, so windows, their scale and the values of time stamps do not
        count. Nor does PSH, which Linux sets by what its buffers hold.
        """
        letters = "".join(name for name, bit in _FLAGS.items() if self.flags & bit and name != "P")
        text = f"{letters} {self.seq}:{self.seq + self.length}({self.length})"
        if self.flags & _ACK:
            text += f" ack {self.ack}"
        counted = {name: value for name, value in self.options.items() if name != "wscale"}
        if "TS" in counted:
            counted["TS"] = counted["TS"].split()[1]
        names = ("mss", "sackOK", "TS", "FO", "sack")
        listed = [f"{name} {counted[name]}".strip() for name in names if name in counted]
        return f"{text} <{','.join(listed)}>" if listed else text

    def _option_bytes(self, bases: Bases) -> bytes:
        parts = b""
        for name, value in self.options.items():
            match name:
                case "mss":
                    parts += struct.pack("!BBH", 2, 4, int(value))
                case "wscale":
                    parts += struct.pack("!BBB", 3, 3, int(value))
                case "sackOK":
                    parts += b"\x04\x02"
                case "TS":
                    stamp, echo = map(int, value.split())
                    stamp = (_PEER_CLOCK + stamp) % _WRAP
                    parts += struct.pack("!BBII", 8, 10, stamp, ((bases.clock or 0) + echo) % _WRAP)
                case "FO":
                    cookie = bytes.fromhex(value)
                    parts += struct.pack("!BB", 34, 2 + len(cookie)) + cookie
                case "sack":
                    edges = [(bases.ours + int(e)) % _WRAP for e in re.findall(r"\d+", value)]
                    parts += struct.pack(f"!BB{len(edges)}I", 5, 2 + 4 * len(edges), *edges)
                case _:
                    raise ValueError(f"no such option: {name}")
        return parts + b"\x01" * (-len(parts) % 4)


def checksum(data: bytes) -> int:
    """Return the ones' complement sum (RFC 1071)."""
    padded = data + bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _read_options(data: bytes) -> list[tuple[str, str]]:
    found = []
    while data and data[0]:
        if data[0] == 1:
            data = data[1:]
            continue
        kind, length = data[0], data[1]
        body, data = data[2:length], data[length:]
        words = struct.unpack(f"!{len(body) // 4}I", body[: len(body) // 4 * 4])
        match kind:
            case 2:
                found.append(("mss", str(struct.unpack("!H", body)[0])))
            case 3:
                found.append(("wscale", str(body[0])))
            case 4:
                found.append(("sackOK", ""))
            case 5:
                edges = [(word - PEER_BASE) % _WRAP for word in words]
                pairs = zip(edges[::2], edges[1::2], strict=True)
                found.append(("sack", " ".join(f"{start}:{end}" for start, end in pairs)))
            case 8:
                found.append(("TS", " ".join(map(str, words))))
            case 34:
                found.append(("FO", body.hex()))
            case _:
                found.append((f"option {kind}", body.hex()))
    return found

"""Derive what the captures of Yudayev 2019 say: the third column beside our two rows.

``python studies/yudayev-2019/captures.py ../shared/reference/yudayev-2019/captures``

It writes ``captures.csv``, a row for each capture, and ``captures-ledger.csv``, the bytes of each
by layer, cause and direction, as ``lasthop ledger`` counts them. The captures stay outside of the
project; their SHA-256 digests are in the table.

Times are in s or ms, throughput in B in 10 ms with 14 B of Ethernet a packet. "Up" is from the
device. A message of MQTT is a PUBLISH to the device; of CoAP and HTTP it is a request.
"""

import csv
import hashlib
import io
import json
import re
import struct
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final, NamedTuple

from lasthop._native import CaptureLedger
from lasthop.cli.capture_files import read_captures
from lasthop.cli.script import run_script

FOLDER: Final = Path(__file__).parent
TABLE: Final = FOLDER / "captures.csv"
LEDGER: Final = FOLDER / "captures-ledger.csv"

DEVICE: Final = bytes([192, 168, 0, 226])
CAPTURES: Final = {
    "mqtt_qos0_pub1": ("qos 0", 1),
    "mqtt_qos0_pub10": ("qos 0", 10),
    "mqtt_qos0_pub100": ("qos 0", 100),
    "mqtt_qos1_pub1": ("qos 1", 1),
    "mqtt_qos1_pub10": ("qos 1", 10),
    "mqtt_qos2_pub1": ("qos 2", 1),
    "mqtt_qos2_pub10": ("qos 2", 10),
    "coap_1clients": ("coap", 1),
    "coap_10clients": ("coap", 10),
    "http_1client": ("http", 1),
    "http_10clients": ("http", 10),
}
"""By the name of the file: the row of figure 25. Four rows of a hundred clients have none."""

ETHERNET_BYTES: Final = 14
PCAP_NANOSECONDS: Final = 0xA1B23C4D
INTERVAL_NS: Final = 10_000_000
TCP: Final = 6
SYN, RST = 2, 4
MORE: Final = 128
"""Set in a byte of MQTT's remaining length that has another one behind it."""
COAP_EMPTY: Final = 0
COAP_REQUESTS: Final = range(1, 32)
COAP_RESPONSES: Final = range(64, 192)
CONNECT, PUBLISH, PUBACK, PUBCOMP = 1, 3, 4, 7
CONTROL: Final = re.compile(rb"client #(\d+) send message (\d+)")


class Packet(NamedTuple):
    """An IP packet of a capture: when it passed, its ends, and what it carries."""

    at_ns: int
    is_up: bool
    protocol: int
    port: int
    """Of the PC's program, or of the device where the PC has the well-known one."""
    ip_bytes: int
    sequence: int
    acknowledged: int
    flags: int
    data: bytes


class Message(NamedTuple):
    """A message of MQTT in the segment in which it begins."""

    at_ns: int
    is_up: bool
    connection: int
    segment: int
    kind: int
    body: bytes


def packets_of(capture: bytes) -> Iterator[Packet]:
    """Read the IPv4 packets of a pcap file with times in ns, with or without Ethernet."""
    magic, link = struct.unpack_from("<I16xI", capture)
    if magic != PCAP_NANOSECONDS:
        message = "not a pcap file with times in ns"
        raise ValueError(message)
    header = {1: ETHERNET_BYTES, 101: 0}[link]
    place = 24
    while place < len(capture):
        seconds, nanoseconds, kept = struct.unpack_from("<III", capture, place)
        frame = capture[place + 16 : place + 16 + kept]
        place += 16 + kept
        packet = frame[header:]
        ip_bytes = int.from_bytes(packet[2:4])
        packet = packet[:ip_bytes]
        above = packet[4 * (packet[0] & 15) :]
        is_up = packet[12:16] == DEVICE
        ports = struct.unpack_from(">HH", above)
        is_tcp = packet[9] == TCP
        yield Packet(
            at_ns=seconds * 10**9 + nanoseconds,
            is_up=is_up,
            protocol=packet[9],
            port=max(ports),
            ip_bytes=ip_bytes,
            sequence=int.from_bytes(above[4:8]) if is_tcp else 0,
            acknowledged=int.from_bytes(above[8:12]) if is_tcp else 0,
            flags=above[13] if is_tcp else 0,
            data=above[4 * (above[12] >> 4) :] if is_tcp else above[8:],
        )


class Stream:
    """One direction of a connection of TCP: bytes in order, each with the segment it came in."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._waiting: dict[int, tuple[int, bytes]] = {}
        self.data = bytearray()
        self.segments: list[tuple[int, int]] = []
        """Where each begins, and the number of its packet."""

    def take(self, number: int, packet: Packet) -> None:
        """Take a packet; what was there already is left out."""
        if packet.flags & SYN:
            self._next = packet.sequence + 1
        if self._next is None:
            self._next = packet.sequence
        if packet.data:
            self._waiting.setdefault(packet.sequence, (number, packet.data))
        while (first := min(self._waiting, default=None)) is not None and first <= self._next:
            of_packet, data = self._waiting.pop(first)
            data = data[self._next - first :]
            if data:
                self.segments.append((len(self.data), of_packet))
                self.data += data
                self._next += len(data)


def streams_of(packets: Sequence[Packet]) -> dict[tuple[int, bool], Stream]:
    """Put the bytes of each connection in order, by its port and its direction."""
    streams: dict[tuple[int, bool], Stream] = {}
    for number, packet in enumerate(packets):
        if packet.protocol == TCP:
            streams.setdefault((packet.port, packet.is_up), Stream()).take(number, packet)
    return streams


def remaining_length(data: Sequence[int], place: int) -> tuple[int, int]:
    """Read the length of a control packet of MQTT, and where what it counts begins."""
    length, shift = 0, 0
    while data[place] & MORE:
        length |= (data[place] - MORE) << shift
        place, shift = place + 1, shift + 7
    return length | data[place] << shift, place + 1


def mqtt_messages(packets: Sequence[Packet]) -> list[Message]:
    """Read the control packets of MQTT, in the order of their segments."""
    found = []
    for (port, is_up), stream in streams_of(packets).items():
        place = 0
        while place + 2 <= len(stream.data):
            segment = stream.segments[bisect_right(stream.segments, (place, len(packets))) - 1][1]
            length, begin = remaining_length(stream.data, place + 1)
            body = bytes(stream.data[begin : begin + length])
            at_ns, kind = packets[segment].at_ns, stream.data[place] >> 4
            found.append(Message(at_ns, is_up, port, segment, kind, body))
            place = begin + length
    return sorted(found, key=lambda it: it.segment)


def packet_id(message: Message) -> int:
    """Read the packet identifier; that of a PUBLISH stands behind its topic."""
    if message.kind != PUBLISH:
        return int.from_bytes(message.body[:2])
    behind = 2 + int.from_bytes(message.body[:2])
    return int.from_bytes(message.body[behind : behind + 2])


def of_mqtt(packets: Sequence[Packet], qos: int) -> dict[str, Any]:
    """Count what the broker told the device, and what of it ended."""
    messages = mqtt_messages(packets)
    told = [it for it in messages if it.kind == PUBLISH and not it.is_up]
    leading = {it.segment: number for number, it in reversed(list(enumerate(told)))}
    behind = sum(leading[it.segment] != number for number, it in enumerate(told))
    end = {1: PUBACK, 2: PUBCOMP}.get(qos)
    open_since: dict[tuple[int, int], int] = {}
    took, most = [], 0
    for it in messages:
        key = (it.connection, packet_id(it)) if qos else (0, 0)
        if qos and it.kind == PUBLISH and not it.is_up:
            open_since.setdefault(key, it.at_ns)
            most = max(most, sum(connection == it.connection for connection, _ in open_since))
        elif it.is_up and it.kind == end and key in open_since:
            took.append(it.at_ns - open_since.pop(key))
    of_client = Counter(found[1] for it in told if (found := CONTROL.search(it.body)))
    lost = len(open_since) if qos else behind
    return {
        "messages": len(told),
        "messages_of_a_client": max(of_client.values(), default=0),
        "lost": lost,
        "behind_another": behind,
        "most_under_way": most if qos else None,
        "conversation_ms": fmean(took) / 1e6 if took else None,
        **off_time(packets, messages),
    }


def off_time(packets: Sequence[Packet], messages: Sequence[Message]) -> dict[str, Any]:
    """Give how often the broker reset the device, and the time until the next CONNECT."""
    connects = [it for it in messages if it.kind == CONNECT and it.is_up]
    current = {it.connection for it in connects}
    resets = [it for it in packets if it.flags & RST and not it.is_up and it.port in current]
    later = [min((c.at_ns for c in connects if c.at_ns > it.at_ns), default=0) for it in resets]
    off = sum(max(0, then - it.at_ns) for then, it in zip(later, resets, strict=True))
    return {"resets_by_broker": len(resets), "offline_s": off / 1e9}


def of_coap(packets: Sequence[Packet]) -> dict[str, Any]:
    """Match requests and answers by the program, which asks once: its port, and the message ID.

    Its tokens are empty, and ports are used again.
    """
    asked: dict[tuple[int, bytes], int] = {}
    reached: dict[tuple[int, bytes], int] = {}
    answered: dict[tuple[int, bytes], int] = {}
    current: dict[int, tuple[int, bytes]] = {}
    for it in packets:
        code = it.data[1]
        if code in COAP_REQUESTS and not it.is_up:
            current[it.port] = (it.port, it.data[2:4])
            asked.setdefault(current[it.port], it.at_ns)
        elif code == COAP_EMPTY and it.is_up:
            reached.setdefault((it.port, it.data[2:4]), it.at_ns)
        elif code in COAP_RESPONSES and it.is_up:
            answered.setdefault(current[it.port], it.at_ns)
    return of_requests(asked, reached, reached, answered)


def of_http(packets: Sequence[Packet]) -> dict[str, Any]:
    """Match the first SYN of each connection and the first byte of its answer."""
    asked: dict[int, int] = {}
    reached: dict[int, int] = {}
    requested: dict[int, int] = {}
    answered: dict[int, int] = {}
    for it in packets:
        if it.flags & SYN:
            (reached if it.is_up else asked).setdefault(it.port, it.at_ns)
        elif it.data and not it.is_up:
            requested.setdefault(it.port, it.at_ns)
        elif it.data.startswith(b"HTTP/1.1 200") and it.is_up:
            answered.setdefault(it.port, it.at_ns)
    return of_requests(asked, reached, requested, answered)


def of_requests(
    asked: Mapping[Any, int],
    reached: Mapping[Any, int],
    requested: Mapping[Any, int],
    answered: Mapping[Any, int],
) -> dict[str, Any]:
    """Count requests without an answer, and the time of the others.

    What an answer takes is counted from the acknowledgement of a request of CoAP, and from the GET
    of HTTP, which leaves when SYN-ACK is there.
    """
    took = [answered[key] - at_ns for key, at_ns in asked.items() if key in answered]
    until = [at_ns - asked[key] for key, at_ns in reached.items() if key in asked]
    work = [answered[key] - at_ns for key, at_ns in requested.items() if key in answered]
    return {
        "messages": len(asked),
        "lost": len(asked) - len(took),
        "conversation_ms": fmean(took) / 1e6,
        "first_reply_median_ms": median(until) / 1e6,
        "answer_median_ms": median(work) / 1e6,
    }


def on_the_wire(packets: Sequence[Packet], clients: int) -> dict[str, Any]:
    """Give the rates and the idle times of a capture."""
    at_ns = [it.at_ns for it in packets]
    own_ns = [it.at_ns for it in packets if it.is_up]
    span_ns = at_ns[-1] - at_ns[0]
    frame_bytes = sum(it.ip_bytes + ETHERNET_BYTES for it in packets)
    intervals = span_ns // INTERVAL_NS + 1
    busy = len({(it - at_ns[0]) // INTERVAL_NS for it in at_ns})
    return {
        "span_s": span_ns / 1e9,
        "bytes_in_10_ms": frame_bytes / intervals,
        "bytes_in_busy_10_ms": frame_bytes / busy,
        "busy_10_ms_percent": 100 * busy / intervals,
        "acknowledged_ms": until_acknowledged(packets),
        "device_packet_interval_ms": clients * span_ns / 1e6 / len(own_ns),
        "longest_silence_s": longest(at_ns),
        "longest_silence_of_device_s": longest(own_ns),
    }


def until_acknowledged(packets: Sequence[Packet]) -> float | None:
    """Give the mean time in ms from a segment with data to the device until its TCP has it."""
    waiting: dict[tuple[int, int], int] = {}
    took = []
    for it in packets:
        if it.protocol == TCP and it.data and not it.is_up:
            waiting.setdefault((it.port, it.sequence + len(it.data)), it.at_ns)
        elif it.protocol == TCP and it.is_up:
            done = [key for key in waiting if key[0] == it.port and key[1] <= it.acknowledged]
            took += [it.at_ns - waiting.pop(key) for key in done]
    return fmean(took) / 1e6 if took else None


def longest(at_ns: Sequence[int]) -> float:
    """Give the longest time between two packets in s."""
    return max(after - before for before, after in pairwise(at_ns)) / 1e9


def read_ledger(path: Path) -> dict[str, Any]:
    """Read a capture as `lasthop ledger` does."""
    ledger = CaptureLedger()
    read_captures(ledger, [path])
    told: dict[str, Any] = json.loads(ledger.finish())
    return told


def row_of(path: Path) -> dict[str, Any]:
    """Derive the row of a capture."""
    stack, clients = CAPTURES[path.stem]
    capture = path.read_bytes()
    packets = list(packets_of(capture))
    told = read_ledger(path)
    if (len(packets), sum(it.ip_bytes for it in packets)) != (told["packets"], told["bytes"]):
        message = f"{path.name}: the ledger counts other packets or bytes than this program"
        raise ValueError(message)
    is_mqtt = stack.startswith("qos")
    of_messages = (
        of_mqtt(packets, int(stack[-1]))
        if is_mqtt
        else {"coap": of_coap, "http": of_http}[stack](packets)
    )
    again = told["repeated_packets"]
    return {
        "capture": path.name,
        "sha256": hashlib.sha256(capture).hexdigest(),
        "stack": stack,
        "clients": clients,
        "packets": told["packets"],
        "ip_bytes": told["bytes"],
        "retransmissions_tcp": again["tcp"],
        "retransmissions_application": again["application"],
        "retransmissions_in_vain": again["tcp_in_vain"],
        "packets_a_message": told["packets"] / of_messages["messages"],
        "lost_percent": 100 * of_messages["lost"] / of_messages["messages"],
        **of_messages,
        **on_the_wire(packets, 1 if is_mqtt else clients),
    }


def ledger_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Give the bytes of a capture by layer, cause and direction."""
    # The ledger's "up" is from the side that opens: where the device serves, from the PC.
    is_server = not CAPTURES[path.stem][0].startswith("qos")
    for it in read_ledger(path)["ledger"]:
        is_up = (it["direction"] == "up") != is_server
        yield {
            "capture": path.name,
            "layer": it["layer"],
            "cause": it["cause"],
            "direction": "from device" if is_up else "to device",
            "bytes": it["bytes"],
        }


COLUMNS: Final = (
    *("capture", "sha256", "stack", "clients", "messages", "messages_of_a_client", "lost"),
    *("lost_percent", "behind_another", "most_under_way", "packets", "ip_bytes"),
    *("retransmissions_tcp", "retransmissions_application", "retransmissions_in_vain"),
    *("packets_a_message", "span_s", "bytes_in_10_ms", "bytes_in_busy_10_ms"),
    *("busy_10_ms_percent", "conversation_ms", "first_reply_median_ms"),
    *("answer_median_ms", "acknowledged_ms", "device_packet_interval_ms"),
    *("longest_silence_s", "longest_silence_of_device_s", "resets_by_broker", "offline_s"),
)
LEDGER_COLUMNS: Final = ("capture", "layer", "cause", "direction", "bytes")


def written(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Write rows as CSV; what a capture does not have is empty."""
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    table.writeheader()
    for row in rows:
        rounded = {
            name: f"{value:.4g}" if isinstance(value, float) else value
            for name, value in row.items()
        }
        table.writerow(rounded)
    return text.getvalue()


def tables(folder: Path) -> dict[Path, str]:
    """Derive both tables from the folder of the captures."""
    paths = [folder / f"{name}.pcap" for name in CAPTURES]
    ledgers = [row for path in paths for row in ledger_rows(path)]
    return {
        TABLE: written([row_of(path) for path in paths], COLUMNS),
        LEDGER: written(ledgers, LEDGER_COLUMNS),
    }


def main() -> None:
    """Write both tables."""
    for path, text in tables(Path(sys.argv[1])).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_script(main)

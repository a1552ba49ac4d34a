"""Packets of a capture as a table, with their conversations."""

from __future__ import annotations

import json
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lasthop._native import CaptureLedger

UP, DOWN = 0, 1
"""Directions: from the end that opened the conversation, and towards that end."""

_CODES: Mapping[type[pl.DataType], str] = {pl.UInt64: "Q", pl.UInt32: "I", pl.UInt8: "B"}
_WIDE, _NARROW = (
    ("conversation", "bytes", "payload", "opaque", "set_up"),
    (
        "direction",
        "kind",
        "second_kind",
        "is_repeated",
    ),
)


@dataclass(frozen=True, slots=True)
class Captured:
    """The packets of one service: all conversations with one protocol and server port.

    Parameters
    ----------
    protocol
        Protocol in the terms of the ledger: ``mqtt``, ``coap``, ``tls``, ``udp``, ...
    port
        Port of the server.
    packets
        A row for each packet, in the order of time, with ``at_s``, ``device`` and the ledger's
        bytes by cause.
    devices
        How many addresses opened conversations; conversations of one address that overlap in time
        are of several devices, as behind a NAT.
    left_out
        Packets of other conversations, by protocol.
    """

    protocol: str
    port: int
    packets: pl.DataFrame
    devices: int
    left_out: Mapping[str, int]

    @property
    def span_s(self) -> float:
        """Return the time from the first packet to the last packet in seconds."""
        return float(self.packets["at_s"][-1])

    def until(self, at_s: float) -> pl.DataFrame:
        """Return the packets before a time."""
        return self.packets.filter(pl.col("at_s") < at_s)

    def since(self, at_s: float) -> pl.DataFrame:
        """Return the packets from a time on."""
        return self.packets.filter(pl.col("at_s") >= at_s)


def captured(ledger: CaptureLedger) -> Captured:
    """Return the packets of the service with the most bytes.

    Raises
    ------
    UsageError
        The capture has no UDP or TCP packet.
    """
    conversations = _conversations(ledger)
    table = _table(ledger.packets()).join(conversations, on="conversation")
    named = table.filter(pl.col("port") > 0)
    if named.is_empty():
        raise UsageError(
            "the capture has no UDP or TCP packet, so there is no traffic to fit; capture where "
            "the device sends IP"
        )
    services = named.group_by("protocol", "port").agg(pl.col("bytes").sum()).sort("bytes", "port")
    protocol, port, _ = services.row(-1)
    chosen = (pl.col("protocol") == protocol) & (pl.col("port") == port)
    packets = _by_device(table.filter(chosen).sort("at_ns", maintain_order=True))
    left_out = table.filter(~chosen).group_by("protocol").len().sort("protocol")
    first = packets["at_ns"].min()
    return Captured(
        protocol=protocol,
        port=port,
        packets=packets.with_columns(at_s=(pl.col("at_ns") - first) / 1e9),
        devices=packets["device"].n_unique(),
        left_out=dict(left_out.rows()),
    )


def _by_device(packets: pl.DataFrame) -> pl.DataFrame:
    """Separate devices that share an address, by conversations that overlap in time."""
    spans = (
        packets.group_by("device", "conversation")
        .agg(first=pl.col("at_ns").min(), last=pl.col("at_ns").max())
        .sort("first", "conversation")
    )
    ends: dict[str, list[int]] = {}
    numbered = []
    for address, conversation, first, last in spans.iter_rows():
        lanes = ends.setdefault(address, [])
        free = (place for place, end in enumerate(lanes) if end < first)
        lane = next(free, len(lanes))
        lanes[lane : lane + 1] = [last]
        numbered.append((conversation, f"{address}/{lane}"))
    schema = {"conversation": pl.UInt32, "device": pl.String}
    lanes_of = pl.DataFrame(numbered, schema=schema, orient="row")
    return packets.drop("device").join(lanes_of, on="conversation", maintain_order="left")


def _conversations(ledger: CaptureLedger) -> pl.DataFrame:
    """Return a table of conversations by their numbers in the capture."""
    told: Sequence[Mapping[str, Any]] = json.loads(ledger.all_conversations())
    return pl.DataFrame(
        {
            "conversation": list(range(len(told))),
            "protocol": [one["protocol"] for one in told],
            "device": [_split(one["from"])[0] for one in told],
            "port": [_split(one["to"])[1] for one in told],
        },
        schema={
            "conversation": pl.UInt32,
            "protocol": pl.String,
            "device": pl.String,
            "port": pl.Int64,
        },
    )


def _split(end: str) -> tuple[str, int]:
    """Split an address and its port. The port is 0 if it is missing.

    Examples
    --------
    >>> _split("10.0.0.1:1883"), _split("[fd00::1]:5683"), _split("10.0.0.1")
    (('10.0.0.1', 1883), ('fd00::1', 5683), ('10.0.0.1', 0))
    """
    if end.startswith("["):
        host, _, port = end[1:].partition("]:")
        return host, int(port or 0)
    if end.count(":") == 1:
        host, _, port = end.partition(":")
        return host, int(port)
    return end, 0


def _table(columns: Mapping[str, bytes]) -> pl.DataFrame:
    found = {"at_ns": _numbers(columns["at_ns"], pl.UInt64)}
    found |= {name: _numbers(columns[name], pl.UInt32) for name in _WIDE}
    found |= {name: _numbers(columns[name], pl.UInt8) for name in _NARROW}
    return pl.DataFrame(found).with_columns(
        pl.col("at_ns").cast(pl.Int64), pl.col("is_repeated") == 1
    )


def _numbers(column: bytes, kind: type[pl.DataType]) -> pl.Series:
    numbers = array(_CODES[kind])
    numbers.frombytes(column)
    if sys.byteorder == "big":
        numbers.byteswap()
    return pl.Series(numbers, dtype=kind)

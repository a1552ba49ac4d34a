"""What a link has done so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DirectionStats:
    """Packets of one direction. Offered and duplicated are delivered, dropped and queued.

    Attributes
    ----------
    offered_packets, offered_bytes
        Entered the link. Bytes count from the IP header on.
    delivered_packets, delivered_bytes
        Left it.
    dropped
        Packets that ended on it, by reason: ``loss``, ``queue_full``, ``outage`` (the link was
        cut), ``too_big``, ``blocked`` and so on.
    duplicated_packets, corrupted_packets
        Made by the link, or changed by it.
    queued_packets
        Still on their way.
    """

    offered_packets: int
    offered_bytes: int
    delivered_packets: int
    delivered_bytes: int
    dropped: dict[str, int]
    duplicated_packets: int
    corrupted_packets: int
    queued_packets: int

    @classmethod
    def of(cls, told: dict[str, Any]) -> DirectionStats:
        """Read what the emulator tells of a direction."""
        dropped = {reason: tally["packets"] for reason, tally in told["dropped"].items()}
        entered = told["offered"]["packets"] + told["duplicated"]["packets"]
        return cls(
            offered_packets=told["offered"]["packets"],
            offered_bytes=told["offered"]["bytes"],
            delivered_packets=told["delivered"]["packets"],
            delivered_bytes=told["delivered"]["bytes"],
            dropped=dropped,
            duplicated_packets=told["duplicated"]["packets"],
            corrupted_packets=told["corrupted"]["packets"],
            queued_packets=entered - told["delivered"]["packets"] - sum(dropped.values()),
        )

    def __str__(self) -> str:
        """Describe it."""
        parts = [f"{self.offered_packets} packets offered", f"{self.delivered_packets} delivered"]
        parts += [f"{packets} dropped: {reason}" for reason, packets in self.dropped.items()]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class LinkStats:
    """What a link has done since it was started.

    Attributes
    ----------
    up, down
        Towards the server, and back.
    seconds
        How long it has worked.
    late_p99_ms, late_max_ms
        How late packets were: 99 of 100 were less late than the first. The delays of a link on a
        machine that is too busy are not those that were asked for.
    """

    up: DirectionStats
    down: DirectionStats
    seconds: float
    late_p99_ms: float
    late_max_ms: float

    @classmethod
    def of(cls, told: dict[str, Any]) -> LinkStats:
        """Read what the emulator tells."""
        late = told["lateness"]
        return cls(
            up=DirectionStats.of(told["up"]),
            down=DirectionStats.of(told["down"]),
            seconds=told["seconds"],
            late_p99_ms=late["p99_ns"] / 1e6,
            late_max_ms=max(late["max_ns"], late["longest_pause_ns"]) / 1e6,
        )

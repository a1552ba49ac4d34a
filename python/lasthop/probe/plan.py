"""What a probe is going to do: its tests in order, the bytes that they take and the time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lasthop.probe.datagram import HEADER_BYTES

TESTS = ("round_trip", "loss", "mtu", "nat")
"""All of them, in their order."""

SIZES = (60, 300, 1200)
"""IP packets whose round trip is measured, in bytes."""

_TRIES_OF_MTU = 12 * 4 * 2
_NAT_COPIES = 3 * 2
_NAT_POINTS = 7
_NAT_ROUNDS = 4
_EACH_SIZE = 15
_SPACING_S = 0.02


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """What is to be measured.

    Attributes
    ----------
    tests
        Names of `TESTS`.
    datagrams
        How many the test of loss sends.
    longest_idle_s
        The longest idle time that is tried at a NAT.
    patience_s
        How long an answer may take.
    """

    tests: tuple[str, ...]
    datagrams: int
    longest_idle_s: float
    patience_s: float

    def most_bytes(self, overhead: int) -> int:
        """Give the most that it sends and receives, in bytes from the IP header on."""
        small = HEADER_BYTES + overhead
        doublings = math.ceil(math.log2(max(2.0, self.longest_idle_s))) + 1
        of_nat = doublings + _NAT_POINTS * _NAT_ROUNDS
        parts = {
            "round_trip": 2 * _EACH_SIZE * sum(SIZES),
            "loss": 2 * small * (self.datagrams + 10),
            "mtu": 2 * 1500 * _TRIES_OF_MTU,
            "nat": 2 * small * of_nat * _NAT_COPIES,
        }
        return 2 * 3 * small + sum(parts[test] for test in self.tests)

    def most_seconds(self) -> float:
        """Give about how long it takes at most, where most datagrams get their answers."""
        of_nat = 2 * (1 + _NAT_ROUNDS) * (self.longest_idle_s + self.patience_s)
        parts = {
            "round_trip": len(SIZES) * _EACH_SIZE * self.patience_s,
            "loss": self.datagrams * _SPACING_S + 3 * self.patience_s,
            "mtu": _TRIES_OF_MTU / 2 * self.patience_s,
            "nat": of_nat,
        }
        return sum(parts[test] for test in self.tests)

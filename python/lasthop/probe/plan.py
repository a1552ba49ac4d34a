"""What a probe is going to do: its tests in order, the packets that they take and the time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from lasthop.probe.asking import TRIES_OF_QUESTION, question_bytes, question_packets
from lasthop.probe.datagram import HEADER_BYTES
from lasthop.probe.idle import IDLE_S, IDLE_SIZE, TIMES_EACH
from lasthop.probe.losses import SPACING_S
from lasthop.probe.quic import INITIAL_BYTES
from lasthop.probe.quic import TRIES as TRIES_OF_QUIC
from lasthop.probe.rate import PACKETS_A_WAY, RATE_SIZE, TRAINS_OF_ALL
from lasthop.probe.tests import STREAM_BYTES

TESTS = ("round_trip", "idle", "loss", "mtu", "rate", "mapping", "quic", "nat", "nat_tcp")
"""All of them, in their order."""

SIZES = (60, 300, 1200)
"""IP packets whose round trip is measured, in bytes."""

_TRIES_OF_MTU = 12 * 4 * 2
_LARGEST_MTU = 1500
_NAT_COPIES = 3 * 2
_NAT_POINTS = 7
_NAT_ROUNDS = 4
_MAPPING_TRIES = 3 * 4
_EACH_SIZE = 15
_GREETING_TRIES = 3
_TRAIN_LENGTH = 24
_SLOWEST_TRAIN_S = 3.0

_SEGMENT_BYTES = 100
"""A packet of a TCP connection, about."""


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
        The longest time without traffic that is tried.
    patience_s
        How long an answer may take.
    rate_bytes
        The size of a packet that measures the rate, at most `RATE_SIZE`.
    """

    tests: tuple[str, ...]
    datagrams: int
    longest_idle_s: float
    patience_s: float
    rate_bytes: int = RATE_SIZE

    @property
    def idle_s(self) -> tuple[float, ...]:
        """Times without traffic before a round trip."""
        return tuple(it for it in IDLE_S if it <= self.longest_idle_s)

    def packets(self, overhead: int) -> Counter[int]:
        """Give the most packets that it sends, by size; as many come back, of at most that size."""
        small = HEADER_BYTES + overhead
        found: Counter[int] = Counter()
        for test in self.tests:
            found += Counter(self._of_test(test, small, overhead))
        # Before the first test and after each of them the server is greeted.
        found[small] += _GREETING_TRIES * (1 + len(self.tests))
        return found

    def most_bytes(self, overhead: int) -> int:
        """Give the most that it sends and receives, in bytes from the IP header on."""
        return 2 * sum(size * count for size, count in self.packets(overhead).items())

    def most_seconds(self) -> float:
        """Give about how long it takes at most, where most datagrams get their answers."""
        of_nat = 2 * (1 + _NAT_ROUNDS) * (self.longest_idle_s + self.patience_s)
        parts = {
            "round_trip": len(SIZES) * _EACH_SIZE * self.patience_s,
            "idle": TIMES_EACH * sum(idle + self.patience_s for idle in self.idle_s),
            "loss": self.datagrams * SPACING_S + 3 * self.patience_s,
            "rate": TRAINS_OF_ALL * (_SLOWEST_TRAIN_S + self.patience_s),
            "mtu": _TRIES_OF_MTU / 2 * self.patience_s,
            "mapping": _MAPPING_TRIES * self.patience_s,
            "quic": 2 * TRIES_OF_QUIC * self.patience_s,
            "nat": of_nat,
            "nat_tcp": of_nat,
        }
        return sum(parts[test] for test in self.tests)

    def most_pauses(self) -> int:
        """Give how often it waits for some time at most, after which a data session may end."""
        in_nat = 2 * (1 + _NAT_ROUNDS)
        parts = {"idle": TIMES_EACH * len(self.idle_s), "nat": in_nat, "nat_tcp": in_nat}
        return 1 + sum(1 + parts.get(test, 0) for test in self.tests)

    def _of_test(self, test: str, small: int, overhead: int) -> dict[int, int]:
        idle_times = math.ceil(math.log2(max(2.0, self.longest_idle_s))) + 1
        idle_times = 2 * (idle_times + _NAT_POINTS * _NAT_ROUNDS)
        # Trains up get no answer. A train down is asked for by as many packets of its size.
        looks = _asked(_TRAIN_LENGTH, overhead, times=_LOOKS * TRAINS_OF_ALL)
        segments = STREAM_BYTES // _SEGMENT_BYTES
        parts = {
            "round_trip": dict.fromkeys(SIZES, _EACH_SIZE),
            "idle": {IDLE_SIZE: 1 + TIMES_EACH * len(self.idle_s)},
            "loss": {small: self.datagrams} | _asked(self.datagrams, overhead),
            "rate": {RATE_SIZE: PACKETS_A_WAY + PACKETS_A_WAY // 2} | looks,
            "mtu": {_LARGEST_MTU: _TRIES_OF_MTU},
            "mapping": {small: _MAPPING_TRIES},
            "quic": {INITIAL_BYTES + overhead: 2 * TRIES_OF_QUIC},
            "nat": {small: idle_times * _NAT_COPIES // 2},
            "nat_tcp": {_SEGMENT_BYTES: idle_times * segments // 2},
        }
        return parts[test]


_LOOKS = 4
"""Questions about the arrivals of a train, about."""


def _asked(count: int, overhead: int, *, times: int = TRIES_OF_QUESTION) -> dict[int, int]:
    """Give the packets of questions about arrivals, as if all were as large as their mean."""
    packets = question_packets(count)
    return {question_bytes(count) // packets + 1 + overhead: times * packets}

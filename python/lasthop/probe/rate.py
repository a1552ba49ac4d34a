"""The rate of a network: trains of datagrams, and how far apart the bottleneck lets them arrive."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

from lasthop.probe.datagram import ECHO, HEADER_BYTES, SINK, Datagram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lasthop.probe.asking import Asking, Server

    Train = Callable[[Asking, int, int], Mapping[int, float]]

RATE_SIZE = 1200
"""Bytes of a packet of a train, from the IP header on, where the path lets it through."""
TRAIN_LENGTHS = (8, 16, 24)
"""Packets of a train: the next length where a train is over too soon."""
TRAINS = 6
"""Trains of the last length. The true median lies between smallest and largest with 97 %."""
TRAINS_OF_ALL = 2 * (len(TRAIN_LENGTHS) + TRAINS)
"""Trains up and down."""
PACKETS_A_WAY = sum(TRAIN_LENGTHS) + TRAINS * TRAIN_LENGTHS[-1]
"""Packets of all trains in one direction, at most."""
_LONG_ENOUGH_S = 0.1
_LEAST_GAPS = 2
_HIGHEST_BITS_S = 20e6
"""Above this the machines of probe and server matter more than the network."""
_LEAD_S = 0.3
_MOST_LEAD_S = 60.0
_BETWEEN_LOOKS_S = 0.5


def rates(
    server: Server, *, tests: Sequence[int], ip_bytes: int = RATE_SIZE, patience_s: float
) -> dict[str, Any]:
    """Measure the rate to the server and back.

    A train leaves as fast as this machine can send it, and the server notes when each packet
    arrives. The train back is made of answers that are all due at the same time.

    Parameters
    ----------
    tests
        A number for each train, of `TRAINS_OF_ALL`.
    ip_bytes
        Size of a packet, which the path must let through.
    """
    numbered = iter(tests)

    def up(asking: Asking, test: int, length: int) -> Mapping[int, float]:
        return _train_up(asking, test, length, size=ip_bytes, patience_s=patience_s)

    with server.ask() as asking:
        there = _measured(asking, numbered, up, ip_bytes)
        # The requests for a train back must not queue: they leave at half the rate up.
        found = there["median_bits_s"]
        pace_s = 0.0 if found is None else 2 * 8 * ip_bytes / found

        def down(asking: Asking, test: int, length: int) -> Mapping[int, float]:
            return _train_down(
                asking, test, length, size=ip_bytes, patience_s=patience_s, pace_s=pace_s
            )

        back = _measured(asking, numbered, down, ip_bytes)
        return {"ip_bytes": ip_bytes, "up": there, "down": back}


def _measured(asking: Asking, tests: Iterator[int], train: Train, ip_bytes: int) -> dict[str, Any]:
    """Find a length of trains that takes long enough, and give the rates of several."""
    length = TRAIN_LENGTHS[0]
    for longer in TRAIN_LENGTHS:
        length = longer
        span_s, _ = _dispersion(train(asking, next(tests), length), ip_bytes)
        if span_s >= _LONG_ENOUGH_S:
            break
    trains = [_dispersion(train(asking, next(tests), length), ip_bytes)[1] for _ in range(TRAINS)]
    found = [rate for rate in trains if rate is not None]
    middle = statistics.median(found) if found else None
    return {
        "trains": len(found),
        "length": length,
        "median_bits_s": middle,
        "low_bits_s": min(found, default=None),
        "high_bits_s": max(found, default=None),
        "is_lower_bound": middle is not None and middle >= _HIGHEST_BITS_S,
    }


def _dispersion(arrivals_s: Mapping[int, float], ip_bytes: int) -> tuple[float, float | None]:
    """Give how long the gaps of a train took together, and its rate.

    Only gaps between a packet and the next one count: a lost packet may have passed the bottleneck
    or not. The first packets can pass a token bucket at once, so the first gap is left out.

    Examples
    --------
    >>> _dispersion({0: 0.0, 1: 0.25, 2: 0.75, 4: 1.5, 5: 2.0}, 1200)
    (1.0, 19200.0)
    >>> _dispersion({0: 0.0, 1: 0.1}, 1200)
    (0.0, None)
    """
    numbers = sorted(arrivals_s)[1:]
    gaps = [arrivals_s[it + 1] - arrivals_s[it] for it in numbers if it + 1 in arrivals_s]
    span_s = sum(gaps)
    if len(gaps) < _LEAST_GAPS or span_s <= 0:
        return 0.0, None
    return span_s, 8 * ip_bytes * len(gaps) / span_s


def _train_up(
    asking: Asking, test: int, length: int, *, size: int, patience_s: float
) -> Mapping[int, float]:
    size -= asking.overhead
    for number in range(length):
        asking.send(Datagram(kind=SINK, session=0, test=test, number=number), size)
    arrived: dict[int, int] = {}
    before = -1
    # On a slow network the train is still on its way when the first question arrives.
    while before < len(arrived) < length or before < 0:
        before = len(arrived)
        time.sleep(_BETWEEN_LOOKS_S)
        arrived = asking.arrivals(test, length, patience_s=patience_s) or arrived
    return {number: at_us / 1e6 for number, at_us in arrived.items()}


def _train_down(  # noqa: PLR0913  (how a train leaves)
    asking: Asking, test: int, length: int, *, size: int, patience_s: float, pace_s: float
) -> Mapping[int, float]:
    size -= asking.overhead
    begin = time.monotonic()
    due = begin + min(_MOST_LEAD_S, _LEAD_S + length * pace_s)
    for number in range(length):
        time.sleep(max(0.0, begin + number * pace_s - time.monotonic()))
        wait_ms = max(1, round(1000 * (due - time.monotonic())))
        asked = Datagram(
            kind=ECHO, session=0, test=test, number=number, answer_bytes=size, wait_ms=wait_ms
        )
        asking.send(asked, size)
    came: dict[int, float] = {}
    for answer, at, got in asking.answers(due + patience_s, quiet_s=patience_s):
        if answer.test == test and got > HEADER_BYTES:
            came.setdefault(answer.counted, at)  # the order in which they left
            if len(came) == length:
                break
    return came

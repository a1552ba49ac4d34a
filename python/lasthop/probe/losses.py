"""Losses of a network, each way, and whether they come in bursts."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lasthop.probe.datagram import ECHO, Datagram

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from lasthop.probe.asking import Asking, Server

_Z_95 = 1.959964
SPACING_S = 0.02


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval (Wilson)."""

    part: int
    of: int
    value: float | None
    low: float
    high: float

    @classmethod
    def measured(cls, part: int, of: int) -> Share:
        """Give the share and its interval.

        Examples
        --------
        >>> share = Share.measured(5, 100)
        >>> round(share.low, 3), share.value, round(share.high, 3)
        (0.022, 0.05, 0.112)
        """
        if of == 0:
            return cls(part, of, None, 0.0, 1.0)
        share, z2 = part / of, _Z_95**2
        middle = (share + z2 / (2 * of)) / (1 + z2 / of)
        half = _Z_95 / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
        return cls(part, of, share, max(0.0, middle - half), min(1.0, middle + half))


def losses(server: Server, count: int, *, test: int, patience_s: float) -> dict[str, Any]:
    """Send numbered datagrams at a steady pace, and find those that arrive, each way."""
    with server.ask() as asking:
        begin = time.monotonic()
        came: set[int] = set()
        for number in range(count):
            asking.send(Datagram(kind=ECHO, session=0, test=test, number=number))
            came |= _numbers(asking, test, begin + (number + 1) * SPACING_S)
        came |= _numbers(asking, test, time.monotonic() + patience_s)
        told = asking.arrivals(test, count, patience_s=patience_s)
    # An answer shows that its request arrived, whatever is known of the others.
    reached = came if told is None else came | told.keys()
    return {"count_answered": told is not None, **losses_of(count, reached, came)}


def losses_of(count: int, reached: AbstractSet[int], came: AbstractSet[int]) -> dict[str, Any]:
    """Describe losses by the numbers that reached the server, and those whose answer came."""
    up = [number in reached for number in range(count)]
    down = [number in came for number in sorted(reached)]
    return {
        "up": asdict(Share.measured(up.count(False), count)),
        "down": asdict(Share.measured(down.count(False), len(down))),
        "up_bursts": bursts(up),
        "down_bursts": bursts(down),
    }


def bursts(passed: Sequence[bool]) -> dict[str, Any]:
    """Describe runs of losses: their lengths, and the two chances of a Gilbert process.

    Losses are in bursts where the chance that another loss follows a loss is above the share of
    losses, beyond its interval.

    Examples
    --------
    >>> found = bursts([True] * 90 + [False] * 10 + [True] * 100)
    >>> found["lengths"], found["to_good"]["part"], found["to_good"]["of"], found["are_bursts"]
    ({'10': 1}, 1, 10, True)
    >>> bursts([True] * 9)["are_bursts"]
    False
    """
    after_loss = [then for now, then in pairwise(passed) if not now]
    after_pass = [then for now, then in pairwise(passed) if now]
    to_good = Share.measured(after_loss.count(True), len(after_loss))
    to_bad = Share.measured(after_pass.count(False), len(after_pass))
    edges = [-1, *(place for place, one in enumerate(passed) if one), len(passed)]
    lengths = [after - before - 1 for before, after in pairwise(edges)]
    share = passed.count(False) / len(passed) if passed else 0.0
    return {
        "lengths": {str(it): lengths.count(it) for it in sorted(set(lengths)) if it > 0},
        "to_bad": asdict(to_bad),
        "to_good": asdict(to_good),
        "are_bursts": to_good.of > 0 and 1 - to_good.high > share,
    }


def _numbers(asking: Asking, test: int, until: float) -> set[int]:
    return {answer.number for answer, _, _ in asking.answers(until) if answer.test == test}

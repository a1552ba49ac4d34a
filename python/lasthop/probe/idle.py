"""How a round trip depends on the time without traffic before it, as where a modem falls asleep."""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lasthop.probe.tests import round_trip, trip_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.probe.asking import Server

IDLE_S = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Times without traffic that are tried."""
TIMES_EACH = 6
"""Round trips after each; the interval of their median has 97 %."""
IDLE_SIZE = 60


def round_trips_after_idle(
    server: Server, idle_s: Sequence[float], *, test: int, patience_s: float
) -> dict[str, Any]:
    """Measure round trips after each time without traffic."""
    found = []
    with server.ask() as asking:
        size = IDLE_SIZE - asking.overhead
        number = 0
        round_trip(asking, test, number, size, patience_s)  # from here on the network is awake
        for idle in idle_s:
            times = []
            for _ in range(TIMES_EACH):
                time.sleep(idle)
                number += 1
                times.append(round_trip(asking, test, number, size, patience_s))
            if (trip := trip_of(IDLE_SIZE, times)) is not None:
                found.append({"idle_s": idle, **asdict(trip)})
    return {"trips": found, "rises": rises(found)}


def rises(trips: Sequence[dict[str, Any]]) -> dict[str, float] | None:
    """Find between which times without traffic the round trip rises, beyond all intervals.

    Examples
    --------
    >>> def trip(idle, low, median, high):
    ...     return {"idle_s": idle, "low_ms": low, "median_ms": median, "high_ms": high}
    >>> rises([trip(0, 20, 21, 22), trip(1, 20, 22, 23), trip(2, 80, 85, 90)])
    {'after_s': 1, 'until_s': 2, 'by_ms': 63.5}
    >>> rises([trip(0, 20, 21, 22), trip(1, 20, 22, 23)])
    """
    highest = -1.0
    awake: list[dict[str, Any]] = []
    for trip in trips:
        if awake and trip["low_ms"] > highest:
            usual = statistics.median(one["median_ms"] for one in awake)
            return {
                "after_s": awake[-1]["idle_s"],
                "until_s": trip["idle_s"],
                "by_ms": round(trip["median_ms"] - usual, 3),
            }
        awake.append(trip)
        highest = max(highest, trip["high_ms"])
    return None

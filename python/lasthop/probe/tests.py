"""What is measured, one function each: round trip, path MTU, timeouts of a NAT."""

from __future__ import annotations

import math
import select
import socket
import statistics
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lasthop.probe.datagram import ECHO, HEADER_BYTES, Datagram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lasthop.probe.asking import Asking, Server

_SMALLEST_MTU = 68
_LARGEST_MTU = 1500
_COPIES = 3
"""Requests for one answer where its loss must not be taken for something else."""
_AT_ONCE_S = 0.001
_FINEST_IDLE_S = 0.5
_FINEST_SHARE = 0.05
_POINTS = 7
_EACH_SIZE = 15
STREAM_BYTES = 1_200
"""What a TCP connection with its request and answer takes at most where packets are lost."""


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Round trips of datagrams of one size; the interval of the median has 95 %."""

    ip_bytes: int
    sent: int
    answered: int
    minimum_ms: float
    median_ms: float
    low_ms: float
    high_ms: float


def round_trips(server: Server, sizes: Sequence[int], *, patience_s: float) -> list[dict[str, Any]]:
    """Measure round trips by size, in IP bytes, one datagram at a time."""
    found = []
    with server.ask() as asking:
        for test, size in enumerate(sizes):
            times = [
                round_trip(asking, test, number, size - asking.overhead, patience_s)
                for number in range(_EACH_SIZE)
            ]
            if (trip := trip_of(size, times)) is not None:
                found.append(asdict(trip))
    return found


def trip_of(ip_bytes: int, times_ms: Sequence[float | None]) -> RoundTrip | None:
    """Describe round trips, of which some have no answer; None where all have none."""
    answered = sorted(it for it in times_ms if it is not None)
    if not answered:
        return None
    low, high = median_interval(answered)
    middle = statistics.median(answered)
    return RoundTrip(ip_bytes, len(times_ms), len(answered), answered[0], middle, low, high)


def round_trip(
    asking: Asking, test: int, number: int, size: int, patience_s: float
) -> float | None:
    """Measure one round trip in ms; None without an answer."""
    begin = time.monotonic()
    asking.send(Datagram(kind=ECHO, session=0, test=test, number=number, answer_bytes=size), size)
    for answer, at, _ in asking.answers(begin + patience_s):
        if (answer.test, answer.number) == (test, number):
            return (at - begin) * 1000
    return None


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Give the 95 % interval of the median by order statistics, whatever the distribution."""
    count = len(values)
    below = 0.0
    for rank in range(count // 2):
        below += math.comb(count, rank) / 2**count
        if below > (1 - 0.95) / 2:
            return values[max(0, rank - 1)], values[min(count - 1, count - rank)]
    return values[0], values[-1]


def path_mtu(server: Server, *, test: int, patience_s: float) -> dict[str, Any]:
    """Find the largest IP packet that passes: to the server, and there and back.

    The answer is never larger than the request: what is back is found up to what is there.
    """
    with server.ask() as asking:
        numbers = iter(range(10**6))

        def passes(size: int, *, back: bool) -> bool:
            payload = size - asking.overhead
            answer = payload if back else HEADER_BYTES
            asked = Datagram(
                kind=ECHO, session=0, test=test, number=next(numbers), answer_bytes=answer
            )
            tries = _COPIES + 1
            found = asking.exchange(asked, size=payload, tries=tries, patience_s=patience_s)
            return found is not None

        smallest = max(_SMALLEST_MTU, asking.overhead + HEADER_BYTES)
        up = _largest(smallest, _LARGEST_MTU, lambda size: passes(size, back=False))
        down = _largest(smallest, up, lambda size: passes(size, back=True)) if up else None
    return {"up_bytes": up, "down_bytes": down, "down_is_bound_by_up": up == down}


def _largest(low: int, high: int, passes: Any) -> int | None:  # noqa: ANN401  a question
    """Find by halving the largest number that passes, if the lowest one does."""
    if passes(high):
        return high
    if not passes(low):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low


def nat_timeout(
    server: Server,
    *,
    longest_s: float,
    test: int,
    patience_s: float,
    ask: Callable[[Server, Sequence[float], int, float, list[float]], set[float]],
) -> dict[str, Any]:
    """Find for how long a mapping of a NAT lasts without traffic.

    Each idle time has a socket of its own, and those of a round wait at the same time. An answer
    that does not come is asked for again before it counts as none. The copies of a request arrive
    apart by the jitter of the path, and the last of them restarts the timeout: the mapping may end
    that much sooner.

    Parameters
    ----------
    ask
        `answered_after` for UDP, or `streams_answered_after` for TCP.
    """
    alive, dead = 0.0, math.inf
    late: list[float] = []
    idle = [1.0]
    while idle[-1] < longest_s:
        idle.append(min(longest_s, idle[-1] * 2))
    rounds: list[dict[str, Any]] = []
    while idle:
        came = ask(server, idle, test, patience_s, late)
        missing = [it for it in idle if it not in came]
        came |= ask(server, missing, test, patience_s, late) if missing else set()
        rounds.append({"idle_s": idle, "answered_s": sorted(came)})
        alive = max([alive, *came])
        dead = min([dead, *(it for it in idle if it not in came and it > alive)])
        width = dead - alive
        if math.isinf(dead) or width <= max(_FINEST_IDLE_S, _FINEST_SHARE * dead):
            break
        idle = [alive + width * part / (_POINTS + 1) for part in range(1, _POINTS + 1)]
    jitter = max(late) - min(late) if late else 0.0
    return {
        "alive_s": max(0.0, alive - jitter),
        "jitter_s": jitter,
        "dead_s": None if math.isinf(dead) else dead,
        "longest_s": longest_s,
        "rounds": rounds,
    }


def answered_after(
    server: Server, idle: Sequence[float], test: int, patience_s: float, late: list[float]
) -> set[float]:
    """Give the idle times whose answers came, and note how late each answer was."""
    came: set[float] = set()
    with ExitStack() as stack:
        askings = [(it, stack.enter_context(server.ask())) for it in idle]
        begin = time.monotonic()
        for wait, asking in askings:
            for copy in range(_COPIES):
                wait_ms = round(wait * 1000)
                asked = Datagram(kind=ECHO, session=0, test=test, number=copy, wait_ms=wait_ms)
                asking.send(asked)
        due = {asking: begin + wait + patience_s for wait, asking in askings}
        waits = {asking: wait for wait, asking in askings}
        while due and (left := max(due.values()) - time.monotonic()) > 0:
            for asking in select.select(list(due), [], [], left)[0]:
                for _, at, _ in asking.answers(time.monotonic() + _AT_ONCE_S):
                    came.add(waits[asking])
                    late.append(at - begin - waits[asking])
                    break
            due = {asking: until for asking, until in due.items() if until > time.monotonic()}
    return came


def streams_answered_after(
    server: Server, idle: Sequence[float], test: int, patience_s: float, late: list[float]
) -> set[float]:
    """Give the idle times after which an answer came on a TCP connection, and how late each was."""
    came: set[float] = set()
    waits: dict[socket.socket, tuple[float, float]] = {}
    with ExitStack() as stack:
        for wait in idle:
            server.meter.sent(STREAM_BYTES)
            try:
                made = socket.create_connection(server.address, timeout=patience_s)
            except OSError:
                continue
            stack.enter_context(made)
            asked = Datagram(
                kind=ECHO, session=server.session, test=test, wait_ms=round(wait * 1000)
            )
            made.sendall(asked.encode(HEADER_BYTES))
            waits[made] = (wait, time.monotonic())
        while waits:
            due = max(begin + wait + patience_s for wait, begin in waits.values())
            for ready in select.select(list(waits), [], [], max(0.0, due - time.monotonic()))[0]:
                wait, begin = waits.pop(ready)
                with suppress(OSError):
                    if ready.recv(HEADER_BYTES):
                        came.add(wait)
                        late.append(time.monotonic() - begin - wait)
            now = time.monotonic()
            waits = {
                it: (wait, at) for it, (wait, at) in waits.items() if at + wait + patience_s > now
            }
    return came

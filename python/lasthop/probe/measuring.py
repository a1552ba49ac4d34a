"""One test after the other: what is found of each, and whether it can be believed."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure
from lasthop.probe.clocks import Clocks
from lasthop.probe.datagram import ECHO, HEADER_BYTES, Datagram
from lasthop.probe.idle import round_trips_after_idle
from lasthop.probe.losses import losses
from lasthop.probe.mapping import mapping
from lasthop.probe.plan import SIZES
from lasthop.probe.quic import quic
from lasthop.probe.rate import TRAINS_OF_ALL, rates
from lasthop.probe.tests import (
    answered_after,
    nat_timeout,
    path_mtu,
    round_trips,
    streams_answered_after,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lasthop.probe.asking import Server
    from lasthop.probe.plan import ProbePlan
    from lasthop.probe.record import Record

_GREETING, _LOSS, _MTU, _NAT, _MAPPING, _NAT_TCP, _IDLE, _QUIC = range(100, 108)
_TRAINS = range(200, 200 + TRAINS_OF_ALL)
"""The numbers of the tests; those of round trips are below."""

_TRIES = 3
_SLEPT_S = 0.5
_SET_S = 1.0


def measure_all(
    server: Server, plan: ProbePlan, record: Record, tell: Callable[[str], None]
) -> None:
    """Measure what a record does not have, and keep each result.

    Raises
    ------
    EnvironmentFailure
        If the server does not answer, does not answer any more after a test, or the machine slept:
        the result of that test is not kept.
    """
    left = [name for name in plan.tests if name not in record.results]
    if not left:
        return
    by_stream_only = left == ["nat_tcp"]
    greet(server, plan.patience_s, by_stream_only=by_stream_only)
    for name in left:
        tell(f"measuring {name}")
        before, counted = Clocks.read(), server.meter.total_bytes
        found = _MEASURES[name](server, _below_mtu(plan, record))
        _check(server, plan, name, counted, by_stream_only=by_stream_only)
        for line in _clock_lines(before, name):
            tell(line)
        record.keep(name, found, used_bytes=server.meter.total_bytes - counted)


def _below_mtu(plan: ProbePlan, record: Record) -> ProbePlan:
    """Have the rate measured with packets that pass, where that is known."""
    mtu = record.results.get("mtu", {})
    known = [size for side in ("up", "down") if (size := mtu.get(f"{side}_bytes")) is not None]
    return replace(plan, rate_bytes=min([plan.rate_bytes, *known]))


def greet(server: Server, patience_s: float, *, by_stream_only: bool = False) -> None:
    """See whether the server answers.

    Raises
    ------
    EnvironmentFailure
        If it does not, with what may be the reason.
    """
    if by_stream_only:
        if not _answers_by_tcp(server, patience_s):
            raise EnvironmentFailure(
                f"{server.written}: no answer by TCP; start lasthop serve probe there, or look for "
                "a firewall that blocks the port"
            )
        return
    if _answers(server, patience_s):
        return
    if _answers_by_tcp(server, patience_s):
        raise EnvironmentFailure(
            f"{server.written}: no answer by UDP, but one by TCP: UDP is blocked on the way; "
            "only --test nat_tcp can be measured"
        )
    raise EnvironmentFailure(
        f"{server.written}: no answer by UDP; start lasthop serve probe there, or look for a "
        "firewall that blocks UDP"
    )


def _check(
    server: Server, plan: ProbePlan, name: str, counted: int, *, by_stream_only: bool
) -> None:
    """Refuse the result of a test after which the server is gone: it would look like losses."""
    answers = _answers_by_tcp if by_stream_only else _answers
    if answers(server, plan.patience_s):
        return
    used = server.meter.total_bytes - counted
    raise EnvironmentFailure(
        f"{server.written}: no answer any more after {name} ({used} B), whose result is not kept; "
        "look at the server and at the data quota of the SIM, then start the same command again"
    )


def _clock_lines(before: Clocks, name: str) -> Iterator[str]:
    """Say that the clock was set; refuse what was measured where the machine slept."""
    now = Clocks.read()
    if (slept := now.slept_s(before)) > _SLEPT_S:
        raise EnvironmentFailure(
            f"{name}: this machine slept for {slept:.0f} s during the test, whose result is not "
            "kept; keep it awake and start the same command again"
        )
    if abs(moved := now.set_by_s(before)) > _SET_S:
        yield (
            f"{name}: the clock of this machine was set by {moved:+.0f} s during the test; the "
            "result does not depend on it"
        )


def _answers(server: Server, patience_s: float) -> bool:
    with server.ask() as asking:
        hello = Datagram(kind=ECHO, session=0, test=_GREETING)
        return asking.exchange(hello, tries=_TRIES, patience_s=patience_s) is not None


def _answers_by_tcp(server: Server, patience_s: float) -> bool:
    hello = Datagram(kind=ECHO, session=server.session, test=_GREETING)
    try:
        with socket.create_connection(server.address, timeout=_TRIES * patience_s) as connection:
            connection.sendall(hello.encode(HEADER_BYTES))
            answer = Datagram.decode(connection.recv(HEADER_BYTES))
    except OSError:
        return False
    return answer is not None and answer.session == server.session


def _round_trip(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return round_trips(server, SIZES, patience_s=plan.patience_s)


def _idle(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return round_trips_after_idle(server, plan.idle_s, test=_IDLE, patience_s=plan.patience_s)


def _loss(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return losses(server, plan.datagrams, test=_LOSS, patience_s=plan.patience_s)


def _rate(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return rates(server, tests=_TRAINS, ip_bytes=plan.rate_bytes, patience_s=plan.patience_s)


def _mtu(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return path_mtu(server, test=_MTU, patience_s=plan.patience_s)


def _mapping(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return mapping(server, test=_MAPPING, patience_s=plan.patience_s)


def _quic(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    return quic(server, test=_QUIC, patience_s=plan.patience_s)


def _nat(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    longest, patience_s = plan.longest_idle_s, plan.patience_s
    return nat_timeout(
        server, longest_s=longest, test=_NAT, patience_s=patience_s, ask=answered_after
    )


def _nat_tcp(server: Server, plan: ProbePlan) -> Any:  # noqa: ANN401  JSON
    longest, patience_s = plan.longest_idle_s, plan.patience_s
    ask = streams_answered_after
    return nat_timeout(server, longest_s=longest, test=_NAT_TCP, patience_s=patience_s, ask=ask)


_MEASURES: dict[str, Callable[[Server, ProbePlan], Any]] = {
    "round_trip": _round_trip,
    "idle": _idle,
    "loss": _loss,
    "rate": _rate,
    "mtu": _mtu,
    "mapping": _mapping,
    "quic": _quic,
    "nat": _nat,
    "nat_tcp": _nat_tcp,
}

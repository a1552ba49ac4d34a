"""The results of a probe in words, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.probe.path_text import rate_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


def words(results: Mapping[str, Any]) -> Iterator[str]:
    """Tell what was found, for people."""
    for test, say in _SAID.items():
        if test in results:
            yield from say(results[test])


def _round_trip(trips: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for trip in trips:
        yield f"round trip  {_trip(trip)} at {trip['ip_bytes']} B"


def _idle(idle: Mapping[str, Any]) -> Iterator[str]:
    for trip in idle["trips"]:
        yield f"after pause {_trip(trip)} after {trip['idle_s']:g} s"
    if rises := idle["rises"]:
        yield (
            f"            the round trip rises by {rises['by_ms']:.0f} ms after "
            f"{rises['after_s']:g} to {rises['until_s']:g} s without traffic"
        )


def _loss(loss: Mapping[str, Any]) -> Iterator[str]:
    for side in ("up", "down"):
        yield f"loss {side:<6} {_share(loss[side])}{_bursts(loss[f'{side}_bursts'])}"


def _rates(rate: Mapping[str, Any]) -> Iterator[str]:
    for side in ("up", "down"):
        yield f"rate {side:<6} {_rate(rate[side])}"


def _mtu(mtu: Mapping[str, Any]) -> Iterator[str]:
    for side in ("up", "down"):
        found = mtu[f"{side}_bytes"]
        size = "not even the smallest packet passes" if found is None else f"{found} B"
        yield f"MTU {side:<7} {size}"


def _trip(trip: Mapping[str, Any]) -> str:
    return (
        f"{trip['median_ms']:.1f} ms ({trip['low_ms']:.1f} to {trip['high_ms']:.1f} ms, "
        f"{trip['answered']} of {trip['sent']} answered)"
    )


def _share(share: Mapping[str, Any]) -> str:
    if share["of"] == 0:
        return "nothing came that could be lost"
    return (
        f"{100 * share['value']:.2f} % ({100 * share['low']:.2f} to {100 * share['high']:.2f} %, "
        f"{share['part']} of {share['of']})"
    )


def _bursts(bursts: Mapping[str, Any]) -> str:
    if not bursts["are_bursts"]:
        return ""
    good = bursts["to_good"]
    shortest, longest = (1 / good[end] if good[end] else float("inf") for end in ("high", "low"))
    return (
        f", in bursts of {1 / good['value'] if good['value'] else float('inf'):.1f} packets "
        f"({shortest:.1f} to {longest:.1f})"
    )


def _rate(rate: Mapping[str, Any]) -> str:
    if rate["median_bits_s"] is None:
        return "too few packets of the trains arrived"
    middle, low, high = (rate_text(rate[f"{key}_bits_s"]) for key in ("median", "low", "high"))
    if rate["is_lower_bound"]:
        return "above 20 Mbit/s, which is more than a probe can measure"
    return f"{middle} ({low} to {high}, {rate['trains']} trains)"


def _mapping(found: Mapping[str, Any]) -> Iterator[str]:
    if found["seen"] is None:
        yield "NAT         no answer"
        return
    maps = f"maps {found['mapping']} of the server"
    answers = found["filtering"] == "independent of the port"
    others = "let through" if answers else "not let through"
    yield (
        f"NAT         {maps if found['translates'] else 'addresses are not translated'}; an answer "
        f"from another port of the server is {others}"
    )


def _quic(found: Mapping[str, Any]) -> str:
    sent = found["initial_sent"]
    if found["is_answered"]:
        return "passes"
    if found["others_are_answered"]:
        return (
            f"is blocked: none of {sent} Initial packets was answered, while another datagram of "
            "that size was"
        )
    return "does not pass, nor does any other datagram of 1200 B, which QUIC needs"


def _timeout(nat: Mapping[str, Any]) -> str:
    if nat["dead_s"] is None:
        return f"no timeout up to {nat['longest_s']:g} s: no NAT, or a longer one"
    if nat["alive_s"] == 0:
        return "no late answer came, not even after 1 s"
    return f"mapping ends between {nat['alive_s']:.2f} and {nat['dead_s']:.2f} s without traffic"


_SAID: dict[str, Callable[[Any], Iterator[str]]] = {
    "round_trip": _round_trip,
    "idle": _idle,
    "loss": _loss,
    "rate": _rates,
    "mtu": _mtu,
    "mapping": _mapping,
    "quic": lambda found: iter([f"QUIC        {_quic(found)}"]),
    "nat": lambda nat: iter([f"NAT UDP     {_timeout(nat)}"]),
    "nat_tcp": lambda nat: iter([f"NAT TCP     {_timeout(nat)}"]),
}

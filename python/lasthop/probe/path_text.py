"""The results of a probe as the path of a study, with the interval of each value behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def path_text(results: Mapping[str, Any], server: str) -> str:
    """Write the key ``path``."""
    lines = [f"# Measured by lasthop probe against {server}."]
    lines += [f"# {line}" for line in _without_a_key(results)]
    keys: list[str] = []
    for side in ("up", "down"):
        if values := list(_side(results, side)):
            keys += [f"  {side}:", *(f"    {line}" for line in values)]
    keys += [f"  {line}" for line in _nat(results)]
    return "\n".join([*lines, "path:" if keys else "path: {}", *keys]) + "\n"


def rate_text(bits_s: float) -> str:
    """Write a rate with three digits.

    Examples
    --------
    >>> rate_text(64_049), rate_text(2_011_400)
    ('64 kbit/s', '2.01 Mbit/s')
    """
    if bits_s < _MEGA:
        return f"{bits_s / 1e3:.3g} kbit/s"
    return f"{bits_s / 1e6:.3g} Mbit/s"


_MEGA = 999_500
"""From here on three digits are those of Mbit/s."""


def _without_a_key(results: Mapping[str, Any]) -> Iterator[str]:
    """Say what a path has no key for."""
    rises = results.get("idle", {}).get("rises")
    if rises is not None:
        yield (
            f"After {rises['after_s']:g} to {rises['until_s']:g} s without traffic a round trip "
            f"takes {rises['by_ms']:.0f} ms more; the delays below are those without a pause."
        )
    quic = results.get("quic")
    if quic is not None and not quic["is_answered"]:
        yield "QUIC does not pass: mqtt/quic and http/quic cannot be used here."


def _side(results: Mapping[str, Any], side: str) -> Iterator[str]:
    if trips := results.get("round_trip"):
        trip = trips[0]
        half, low, high = (trip[key] / 2 for key in ("median_ms", "low_ms", "high_ms"))
        yield (
            f"delay: {half:.2f} ms  # half the round trip of {trip['ip_bytes']} B; "
            f"95 % interval {low:.2f} to {high:.2f} ms"
        )
    if (loss := results.get("loss")) and loss[side]["of"] > 0:
        yield _loss(loss, side)
    if (rate := results.get("rate")) and (found := rate[side])["median_bits_s"] is not None:
        middle, low, high = (rate_text(found[f"{key}_bits_s"]) for key in ("median", "low", "high"))
        if not found["is_lower_bound"]:
            yield f"rate: {middle}  # {found['trains']} trains: {low} to {high}"
    if (mtu := results.get("mtu")) and mtu[f"{side}_bytes"] is not None:
        bound = side == "down" and mtu["down_is_bound_by_up"]
        note = "at least; not above up" if bound else "exact"
        yield f"mtu: {mtu[f'{side}_bytes']} B  # {note}"


def _loss(loss: Mapping[str, Any], side: str) -> str:
    share, bursts = loss[side], loss[f"{side}_bursts"]
    interval = (
        f"{share['part']} of {share['of']}; 95 % interval {100 * share['low']:.2f} to "
        f"{100 * share['high']:.2f} %"
    )
    if not bursts["are_bursts"]:
        return f"loss: {100 * share['value']:.2f} %  # {interval}"
    bad, good = bursts["to_bad"], bursts["to_good"]
    return (
        f"loss: {{gilbert_elliott: {{to_bad: {100 * bad['value']:.2f} %, to_good: "
        f"{100 * good['value']:.2f} %}}}}  # lost {interval}; to_bad {100 * bad['low']:.2f} to "
        f"{100 * bad['high']:.2f} %, to_good {100 * good['low']:.1f} to {100 * good['high']:.1f} %"
    )


def _nat(results: Mapping[str, Any]) -> Iterator[str]:
    found = {
        protocol: (nat["alive_s"], nat["dead_s"])
        for protocol, test in (("udp", "nat"), ("tcp", "nat_tcp"))
        if (nat := results.get(test)) and nat["dead_s"] is not None and nat["alive_s"] > 0
    }
    if "udp" not in found:  # which a NAT of a study needs
        return
    keys = ", ".join(f"{name}: {(low + high) / 2:.2f} s" for name, (low, high) in found.items())
    notes = (f"{name} between {low:.2f} and {high:.2f} s" for name, (low, high) in found.items())
    yield f"nat: {{{keys}}}  # {', '.join(notes)}"

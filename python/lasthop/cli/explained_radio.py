"""Activity of the radio for one message, with times and energy."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lasthop.study.fields.quantity import TIME, format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NETWORK = "network"
"""What nobody sends, and nobody receives."""
_ROUND_NS = 1_000_000
_S_NS = 1e9
_LISTENS = {"receive"}
_SENDS = {"transmit"}


def radio_events(radio: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Give the radio's events for a time line: start, channel and description.

    Examples
    --------
    >>> preamble = {"from_ns": 0, "until_ns": 6_000_000, "channel": "NPRACH", "what": "preamble 1"}
    >>> radio_events({"events": [{**preamble, "received": False}]})
    [{'time_ns': 0, 'where': 'NPRACH', 'what': 'preamble 1; 6 ms, not received'}]
    >>> radio_events(None)
    []
    """
    return [
        {
            "time_ns": event["from_ns"],
            "where": event["channel"],
            "what": f"{event['what']}; {_time(event['until_ns'] - event['from_ns'])}"
            + (", not received" if not event["received"] and event["channel"] != _NETWORK else ""),
        }
        for event in (radio or {}).get("events", ())
    ]


def joules_in_lines(radio: Mapping[str, Any]) -> list[str]:
    """List the active time of the radio until sleep by cause, with the energy if known."""
    spans: Sequence[Mapping[str, Any]] = radio["spans"]
    if not spans:
        return []
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for span in spans:
        state = span["state"]
        doing = "sends" if state in _SENDS else "listens" if state in _LISTENS else "sleeps"
        sums[span["cause"]][doing] += span["until_ns"] - span["from_ns"]
        sums[span["cause"]]["joules"] += span["joules"] or 0.0
    total = sum(one["joules"] for one in sums.values())
    lasted_s = (spans[-1]["until_ns"] - spans[0]["from_ns"]) / _S_NS
    known = total > 0
    head = f"the radio from then until it sleeps again: {lasted_s:.3f} s"
    lines = [head + (f", {total:.3f} J" if known else "; the study says not what it draws")]
    lines.append(
        f"  {'for':<16}{'sends':>10}{'listens':>10}{'sleeps':>10}"
        + (f"{'joules':>10}{'share':>8}" if known else "")
    )
    order = sorted(sums, key=lambda cause: (-sums[cause]["joules"], cause))
    for cause in order:
        one = sums[cause]
        times = "".join(f"{one[doing] / _S_NS:8.3f} s" for doing in ("sends", "listens", "sleeps"))
        share = f"{one['joules']:10.4f}{one['joules'] / total:8.0%}" if known else ""
        lines.append(f"  {cause.replace('_', ' '):<16}{times}{share}")
    return lines


def _time(time_ns: int) -> str:
    return format_quantity(round(time_ns / _ROUND_NS) * _ROUND_NS, TIME)

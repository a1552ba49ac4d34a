"""Times of the network for which one message over a radio waited."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_S_NS = 1e9
_WAITS_FOR = re.compile(r"waits? for (?P<what>.+)")
_ON_AIR = "on the air"
_BEFORE = {
    "NPRACH": "the next preamble opportunity",
    "NPDCCH": "the search space and the scheduler",
    "NPDSCH": "the scheduling delay of a DCI",
    "NPUSCH": "the scheduling delay of a DCI",
    "HARQ-ACK": "the scheduling delay of a DCI",
}
"""What a message waits for in front of a channel, where nobody works on it."""
_BY_WORDS = {
    "finds its cell": "the search for a cell",
    "searches all carriers": "the search for a cell",
    "reads MIB-NB": "system information",
    "gets in step": "synchronisation and system information",
    "the radio link has failed": "the search for a cell",
    "could not register": "T3411 or T3402",
    "backs off": "the backoff",
    "may not begin": "access barring, or the wait of a rejection",
}
"""What a message waits for while the module notes that it does something for the radio."""
_ELSEWHERE = "the core and the far end"


def waits_in_lines(radio: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe what a message waited for; every span from due to its end counts once."""
    times = [int(event["time_ns"]) for event in events]
    parts = waits(radio["events"], min(times), max(times))
    total_s = sum(parts.values()) / _S_NS
    if not parts or total_s == 0:
        return []
    width = max(map(len, parts))
    lines = [f"the message took {total_s:.3f} s; it waited for"]
    for name in sorted(parts, key=lambda name: (-parts[name], name)):
        seconds = parts[name] / _S_NS
        lines.append(f"  {name:<{width}}{seconds:10.3f} s{seconds / total_s:8.0%}")
    return lines


def waits(events: Sequence[Mapping[str, Any]], from_ns: int, until_ns: int) -> dict[str, int]:
    """Divide a time among what a message waited for, in ns.

    What is on the air counts first, then base station and core, then the module. What is left
    counts for what comes next.

    Examples
    --------
    >>> told = [
    ...     {"channel": "module", "from_ns": 0, "until_ns": 2, "what": "firmware sends a packet"},
    ...     {"channel": "NPRACH", "from_ns": 5, "until_ns": 6, "what": "preamble 1"},
    ...     {"channel": "network", "from_ns": 6, "until_ns": 9, "what": "X waits for the MME"},
    ... ]
    >>> waits(told, 0, 10)  # doctest: +NORMALIZE_WHITESPACE
    {'the module': 2, 'the next preamble opportunity': 3, 'on the air': 1, 'the MME': 3,
     'the core and the far end': 1}
    """
    found: dict[str, int] = defaultdict(int)
    for start, end, name in waits_in_order(events, from_ns, until_ns):
        found[name] += end - start
    return dict(found)


def waits_in_order(
    events: Sequence[Mapping[str, Any]], from_ns: int, until_ns: int
) -> list[tuple[int, int, str]]:
    """Divide a time into spans with what a message waited for: begin, end and name, in ns.

    Examples
    --------
    >>> told = [{"channel": "NPRACH", "from_ns": 5, "until_ns": 6, "what": "preamble 1"}]
    >>> waits_in_order(told, 0, 6)
    [(0, 5, 'the next preamble opportunity'), (5, 6, 'on the air')]
    """
    inside = [
        event for event in events if event["until_ns"] > from_ns and event["from_ns"] < until_ns
    ]
    edges = {from_ns, until_ns}
    for event in inside:
        edges |= {max(from_ns, event["from_ns"]), min(until_ns, event["until_ns"])}
    found: list[tuple[int, int, str]] = []
    for start, end in pairwise(sorted(edges)):
        name = _during(inside, start, end)
        goes_on = bool(found) and found[-1][2] == name
        found.append((found.pop()[0] if goes_on else start, end, name))
    return found


def _during(events: Sequence[Mapping[str, Any]], start: int, end: int) -> str:
    over = [event for event in events if event["from_ns"] <= start and event["until_ns"] >= end]
    if any(event["channel"] in _BEFORE for event in over):
        return _ON_AIR
    for event in over:
        if event["channel"] == "network":
            waited = _WAITS_FOR.search(event["what"])
            return event["what"] if waited is None else waited["what"]
    for event in over:
        for words, name in _BY_WORDS.items():
            if event["what"].startswith(words):
                return name
        return "the module"
    following = [event for event in events if event["from_ns"] >= end]
    if not following:
        return _ELSEWHERE
    channel = min(following, key=lambda event: int(event["from_ns"]))["channel"]
    return _BEFORE.get(channel, _ELSEWHERE)

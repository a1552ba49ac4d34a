"""Columns on crashes and misread messages of real-software devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NS_PER_S = 1e9


def crash_columns(
    told: Mapping[str, Sequence[Sequence[str]]], zero_ns: int, end_ns: int, *, who: str = "device"
) -> dict[str, Any]:
    """Return the crash columns from the lines that devices printed during the run.

    Parameters
    ----------
    told
        The words of each line, by the name of the device.
    zero_ns, end_ns
        Instants of the monotonic clock.
    who
        ``device`` or ``server``.
    """
    reasons: list[str] = []
    events: list[tuple[int, str]] = []
    offline_ns = 0
    for place, (_, lines) in enumerate(told.items()):
        crashed = [(words[1], int(words[2])) for words in lines if words[0] == "crashed"]
        booted = [int(words[1]) for words in lines if words[0] == "booted"]
        for number, (reason, at_ns) in enumerate(crashed):
            up_ns = booted[number] if number < len(booted) else None
            offline_ns += (end_ns if up_ns is None else up_ns) - at_ns
            reasons.append(reason)
            event = f"{who} of host {place} crashes at {_seconds(at_ns - zero_ns)} s: {reason}"
            if up_ns is not None:
                event += f", boots by {_seconds(up_ns - zero_ns)} s"
            events.append((at_ns, event))
    misreads = sum(words[0] == "misread" for lines in told.values() for words in lines)
    return {
        "device_misreads": misreads,
        "device_crashes_heap": reasons.count("heap"),
        "device_crashes_watchdog": len(reasons) - reasons.count("heap"),
        "device_offline_s": offline_ns / _NS_PER_S,
        "device_events": "; ".join(event for _, event in sorted(events)) or None,
    }


def _seconds(nanos: int) -> str:
    return f"{nanos / _NS_PER_S:.3f}"

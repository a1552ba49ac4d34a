"""Timeliness of the messages of devices that are real software: deadlines and ages."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = dict[str, Any]
_NS_PER_S = 1e9


def timeliness(messages: Sequence[Row]) -> Row:
    """Return the columns of deadlines and of the age of information.

    Parameters
    ----------
    messages
        Rows of messages, with those of the warm-up.
    """
    timed = [row["in_time"] for row in messages if row["measured"] and row["in_time"] is not None]
    ages = [_age(flow) for flow in _flows(messages)]
    area, watched = (sum(age[place] for age in ages) for place in (0, 1))
    return {
        "messages_with_deadline": len(timed),
        "messages_in_time": sum(timed),
        "in_time_ratio": sum(timed) / len(timed) if timed else None,
        "age_of_information_mean_s": area / watched / _NS_PER_S if watched else None,
        "age_of_information_max_s": max(age[2] for age in ages) / _NS_PER_S if watched else None,
    }


def _flows(messages: Iterable[Row]) -> Iterable[list[Row]]:
    """Yield the messages of each flow of a device and receiver, in the order of their numbers."""

    def flow(row: Row) -> tuple[str, str, int, int]:
        receiver = row["receiver"]
        return row["group"], row["flow"], row["device"], -1 if receiver is None else receiver

    ordered = sorted(messages, key=lambda row: (flow(row), row["message"]))
    return (list(rows) for _, rows in groupby(ordered, flow))


def _age(rows: Sequence[Row]) -> tuple[float, int, int]:
    """Return the integral of the age over time in ns², the time, and the greatest age, in ns.

    As the simulator has it: watched from when the first measured message is due until the last one
    is due.
    """
    measured = [row["intended_ns"] for row in rows if row["measured"]]
    if not measured:
        return 0.0, 0, 0
    start, end = measured[0], measured[-1]
    fresh, at, area, longest = rows[0]["intended_ns"], start, 0.0, 0
    arrived = [row for row in rows if row["delivered_ns"] is not None]
    arrivals = sorted((row["delivered_ns"], row["intended_ns"]) for row in arrived)
    for delivered, due in [*arrivals, (end, end)]:
        until = min(delivered, end)
        if until > at:
            area += ((until - fresh) ** 2 - (at - fresh) ** 2) / 2
            longest = max(longest, until - fresh)
            at = until
        if delivered < end:
            fresh = max(fresh, due)
    return area, max(end - start, 0), longest

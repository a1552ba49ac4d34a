"""Measures of a figure that no column of runs has: of one path, or from message to message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lasthop.measures import named
from lasthop.study.claims.measurand import Measurand, measurand
from lasthop.study.expressions import quantity_of
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from lasthop.measures import Measure

_LIKE = {
    "path_rate_ethernet": ("wire_rate", "rate on the path"),
    "path_packet_interval_up": ("latency_mean", "time between two packets of the devices"),
    "path_packets_per_message": ("packets_up_offered", "packets a message"),
    "path_loss_ratio": ("uncarried_ratio", "share of packets that the path loses"),
    "messages_span": ("latency_max", "time from the first message to the last delivery"),
    "sent_to_delivered_mean": ("latency_mean", "mean time from sending to delivery"),
    "sent_to_acknowledged_mean": ("latency_mean", "mean time from sending to the answer"),
}
"""Each with the column whose unit and kind it has, and what it is called."""

OF_A_PATH = (
    "path_rate_ethernet",
    "path_packet_interval_up",
    "path_packets_per_message",
    "path_loss_ratio",
)
"""Those that need a path: its bytes with 14 B of Ethernet a packet, and its packets."""

TRACED = tuple(_LIKE)


def figure_measurand(name: str, path: str | None) -> Measurand:
    """Find what a figure measures: a measurand of claims, or one of a path or of its messages.

    Raises
    ------
    Fault
        If it means nothing, or needs a path and has none.
    """
    if name not in _LIKE:
        if path is not None:
            known = ", ".join(OF_A_PATH)
            raise Fault(f"{show(name)} is not measured for each path", hint=f"write one of {known}")
        return measurand(name)
    if name in OF_A_PATH and path is None:
        raise Fault(f"{name} needs a path", hint='write "path: NAME" beside it')
    if name not in OF_A_PATH and path is not None:
        raise Fault(f"{name} is not of one path", hint='remove "path"')
    like, called = _LIKE[name]
    found = named(like)
    if found is None:
        message = f"lasthop.measures has no {like}"
        raise LookupError(message)
    measure: Measure = replace(
        found, name=column_of(name, path), called=called, made_of=None, trials=None
    )
    return Measurand(name, measure, quantity_of(found))


def column_of(name: str, path: str | None) -> str:
    """Name the column that a report adds to the runs.

    Examples
    --------
    >>> column_of("path_rate_ethernet", "wlan")
    'path_rate_ethernet of wlan'
    """
    return name if path is None else f"{name} of {path}"

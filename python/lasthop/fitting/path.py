"""Estimates loss and round-trip time of the path from packets."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

import polars as pl

from lasthop.fitting.intervals import Ranged, median, share
from lasthop.fitting.messages import KINDS
from lasthop.fitting.packets import DOWN, UP

_SMALL = 100
"""Size limit of a SYN. A larger first packet belongs to a handshake flight."""
_LONGEST_S = 10.0
_AT_THE_SERVER = 0.1


@dataclass(frozen=True, slots=True)
class PathFit:
    """Estimates of a path from a capture.

    Parameters
    ----------
    loss
        Share of retransmitted packets in each direction; None if the protocol does not retransmit.
    round_trip_s
        Round-trip time; None without responses.
    answered_s
        Mean time to the first packet back, including retransmissions.
    by
        Description of the packets that the round-trip time was measured on.
    """

    loss: Ranged | None
    round_trip_s: Ranged | None
    answered_s: float | None
    by: str


def fit_path(packets: pl.DataFrame, *, is_confirmed: bool) -> PathFit:
    """Estimate loss and round-trip time of a path.

    Parameters
    ----------
    is_confirmed
        Whether lost packets are retransmitted.
    """
    trips, by = _round_trips(packets)
    return PathFit(
        loss=_loss(packets) if is_confirmed else None,
        round_trip_s=median(trips) if trips else None,
        answered_s=statistics.fmean(trips) if trips else None,
        by=by,
    )


def _loss(packets: pl.DataFrame) -> Ranged | None:
    says = pl.col("payload") + pl.col("opaque") + pl.col("set_up") > 0
    carried = packets.filter(says | pl.col("is_repeated"))
    again = share(int(carried["is_repeated"].sum()), carried.height)
    if again.samples == 0:
        return None
    # What is answered by itself is sent again if it was lost, or its acknowledgement.
    low, value, high = (1 - math.sqrt(1 - part) for part in (again.low, again.value, again.high))
    return Ranged(value, low, high, again.samples)


def _round_trips(packets: pl.DataFrame) -> tuple[list[float], str]:
    handshakes = _handshakes(packets)
    if handshakes:
        at_server = sum(near < _AT_THE_SERVER * trip for near, trip in handshakes)
        if 2 * at_server > len(handshakes):
            return [trip for _, trip in handshakes], "handshakes of TCP"
    asked = packets.filter(
        pl.col("kind").is_in([KINDS["mqtt.PINGREQ"], KINDS["coap.CON"]])
        | (pl.col("payload") + pl.col("opaque") > 0),
    )
    if asked.is_empty():
        return [trip for _, trip in handshakes], "handshakes of TCP"
    answered_at = pl.when(pl.col("direction") == DOWN).then(pl.col("at_s"))
    answers = packets.with_columns(
        answer=answered_at.shift(-1).backward_fill().over("conversation")
    )
    asks = answers.filter(
        (pl.col("direction") == UP)
        & ~pl.col("is_repeated")
        & (
            pl.col("kind").is_in([KINDS["mqtt.PINGREQ"], KINDS["coap.CON"]])
            | (pl.col("payload") + pl.col("opaque") > 0)
        )
    ).with_columns(trip=pl.col("answer") - pl.col("at_s"))
    # Of several questions before one answer, the last is asked.
    last = asks.group_by("conversation", "answer").agg(pl.col("trip").min())
    found = last["trip"].drop_nulls()
    trips = found.filter((found > 0) & (found < _LONGEST_S)).to_list()
    by = "the first packet back after a message, as a capture at the device sees it"
    return [*trips, *(trip for _, trip in handshakes)], by


def _handshakes(packets: pl.DataFrame) -> list[tuple[float, float]]:
    """Return the times from a TCP handshake's first packet to its second and third."""
    first = packets.group_by("conversation", maintain_order=True).head(3)
    found = []
    for (_,), rows in first.group_by("conversation", maintain_order=True):
        if rows["direction"].to_list() != [UP, DOWN, UP] or rows["is_repeated"].any():
            continue
        begin, *_ = rows.select("set_up", "bytes").rows()
        if begin[0] > 0 and begin[1] <= _SMALL:
            one, two, three = rows["at_s"].to_list()
            found.append((two - one, three - one))
    return found

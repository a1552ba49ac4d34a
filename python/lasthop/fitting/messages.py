"""Finds messages in the packets of a service: time, size and device."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from lasthop import _native
from lasthop.fitting.intervals import Ranged, median
from lasthop.fitting.packets import DOWN, UP

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS: Mapping[str, int] = {name: place for place, name in enumerate(_native.message_kinds())}
"""Numbers of the message kinds that a packet may begin with."""

BY_SIZE = frozenset({"tls", "dtls", "udp", "tcp", "http", "websocket"})
"""Protocols whose messages are recognized by size and time alone."""

_SEAL: Mapping[str, int] = {"tls": 17, "dtls": 24}
"""Bytes that encryption adds to a message: tag and type in TLS 1.3, nonce and tag in DTLS 1.2."""

_PING = 2
"""Size of an MQTT PINGREQ. Messages up to this size count as keep-alives."""

_BURST_S = 0.2
"""Packets of one direction within this many seconds count as one message."""

_PERIODIC = 0.2
_TENTH, _NINE_TENTHS = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class FlowFit:
    """Size and interval of the messages in one direction.

    Parameters
    ----------
    every_s
        The interval between messages of a device: the median of periodic ones, else the mean.
    size
        Median payload in bytes.
    mean_size
        Mean payload in bytes.
    """

    direction: Literal["up", "down"]
    messages: int
    every_s: float
    interval: Ranged
    arrivals: Literal["periodic", "poisson"]
    size: Ranged
    mean_size: float


def messages_in(packets: pl.DataFrame, protocol: str) -> pl.DataFrame:
    """Return a table of messages: ``at_s``, ``device``, ``direction``, ``size``."""
    fresh = packets.filter(~pl.col("is_repeated"))
    if protocol in BY_SIZE:
        return _by_size(fresh, protocol)
    return _by_kind(fresh, protocol)


def fit_flow(
    messages: pl.DataFrame, direction: int, *, span_s: float, devices: int
) -> FlowFit | None:
    """Return size and interval of the messages in one direction; None if there are none."""
    found = messages.filter((pl.col("direction") == direction) & (pl.col("size") > 0))
    if found.is_empty():
        return None
    gaps = (
        found.sort("device", "at_s")
        .with_columns(gap=pl.col("at_s").diff().over("device"))["gap"]
        .drop_nulls()
        .to_list()
    )
    mean_s = span_s * devices / found.height
    interval = median(gaps) if gaps else Ranged(mean_s, 0.0, span_s, 0)
    is_periodic = len(gaps) > 1 and _is_periodic(gaps, interval.value)
    sizes = found["size"].to_list()
    return FlowFit(
        direction="up" if direction == UP else "down",
        messages=found.height,
        every_s=interval.value if is_periodic else mean_s,
        interval=interval,
        arrivals="periodic" if is_periodic else "poisson",
        size=median(sizes),
        mean_size=statistics.fmean(sizes),
    )


def keep_alive_s(packets: pl.DataFrame, messages: pl.DataFrame, protocol: str) -> float | None:
    """Return the interval of keep-alives in seconds; None if it cannot be determined."""
    if protocol == "mqtt":
        pings = packets.filter(pl.col("kind") == KINDS["mqtt.PINGREQ"])
    elif protocol == "tls":
        pings = messages.filter((pl.col("direction") == UP) & (pl.col("size") == 0))
    else:
        return None
    gaps = pings.sort("device", "at_s").with_columns(gap=pl.col("at_s").diff().over("device"))[
        "gap"
    ]
    found = gaps.drop_nulls().to_list()
    return min(found) if found else None


def _is_periodic(gaps: list[float], middle: float) -> bool:
    ordered = sorted(gaps)
    low, high = (ordered[round(share * (len(ordered) - 1))] for share in (_TENTH, _NINE_TENTHS))
    return middle > 0 and (high - low) <= 2 * _PERIODIC * middle


def _by_kind(fresh: pl.DataFrame, protocol: str) -> pl.DataFrame:
    begin = (
        [KINDS["mqtt.PUBLISH"]]
        if protocol == "mqtt"
        else [KINDS[f"coap.{name}"] for name in ("request", "response")]
    )
    begins = pl.col("kind").is_in(begin) | pl.col("second_kind").is_in(begin)
    with_payload = fresh.filter(pl.col("payload") > 0)
    # A message of several packets begins in the first of them.
    numbered = with_payload.with_columns(
        message=begins.cast(pl.Int64).cum_sum().over("conversation", "direction")
    ).filter(pl.col("message") > 0)
    return (
        numbered.group_by("conversation", "direction", "message", maintain_order=True)
        .agg(pl.col("at_s", "device").first(), pl.col("payload").sum().alias("size"))
        .sort("at_s")
    )


def _by_size(fresh: pl.DataFrame, protocol: str) -> pl.DataFrame:
    carried = fresh.with_columns(carried=pl.col("payload") + pl.col("opaque"))
    gap = pl.col("at_s").diff().over("conversation", "direction")
    seal = _SEAL.get(protocol, 0)
    least = _PING if protocol == "tls" else 0
    size = (pl.col("carried").sum().cast(pl.Int64) - seal).clip(lower_bound=0)
    return (
        carried.filter(pl.col("carried") > 0)
        .with_columns(message=(gap.is_null() | (gap > _BURST_S)).cast(pl.Int64))
        .with_columns(message=pl.col("message").cum_sum().over("conversation", "direction"))
        .group_by("conversation", "direction", "message", maintain_order=True)
        .agg(pl.col("at_s", "device").first(), size.alias("size"))
        .with_columns(size=pl.when(pl.col("size") > least).then(pl.col("size")).otherwise(0))
        .sort("at_s")
    )


__all__ = ["BY_SIZE", "DOWN", "KINDS", "UP", "FlowFit", "fit_flow", "keep_alive_s", "messages_in"]

"""Weights energy, bytes and in-time delivery of a fleet by the devices represented.

The simulator weights delivery, latencies and battery lives itself. It adds energy, bytes and
messages within 20 s over the simulated devices; their ratios are formed here with the weights.
"""

import json
import math
import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from lasthop.measures import COLUMNS, FleetNeed, FleetRule
from lasthop.results.arrow_stream import pieces, read_stream
from lasthop.results.part import Stream, amended_streams, read_summary
from lasthop.study.run_spec import FleetWeights

_ETHERNET_BYTES = 14
_SERVED_WITHIN_MS = 20_000.0
_DEVICES = ("group", "device")


def weighted(streams: Mapping[str, Stream], spec_json: str) -> Mapping[str, Stream]:
    """Return the tables of a run with weighted ratios in its summary.

    Nothing changes where all simulated devices have one weight. A ratio whose parts a run does not
    tell by weight is empty.
    """
    groups = read_stream(_bytes(streams["groups"]))
    weights = FleetWeights.of(json.loads(spec_json)) if _differ(groups["weight"]) else None
    if weights is None:
        return streams
    summary = read_summary(streams)
    if summary["status"] != "completed":
        return streams
    found = _ratios(weights, streams, groups)
    told = {
        column.name: found.get(column.name)
        for column in COLUMNS
        if column.fleet is FleetRule.RATIO
        and column.fleet_needs is not FleetNeed.NOTHING
        and summary[column.name] is not None
    }
    return amended_streams(streams, **told)


def _differ(weights: pl.Series) -> bool:
    return weights.n_unique() > 1


def _ratios(
    weights: FleetWeights, streams: Mapping[str, Stream], groups: pl.DataFrame
) -> dict[str, float | None]:
    delivered = _total(groups, "messages_delivered")
    found: dict[str, float | None] = {}
    if weights.why_lacking(FleetNeed.ENERGY) is None:
        strata = groups.unique(["group", "stratum"], maintain_order=True)
        found["energy_per_message_j"] = _ratio(_total(strata, "energy_total_j"), delivered)
    if weights.why_lacking(FleetNeed.WIRE_BYTES) is None:
        size, packets = _wire(weights, read_stream(_bytes(streams["packets"])))
        framed = size + _ETHERNET_BYTES * packets
        found["wire_bytes_per_message"] = _ratio(size, delivered)
        found["wire_bytes_per_message_ethernet"] = _ratio(framed, delivered)
    if weights.why_lacking(FleetNeed.MESSAGES) is None:
        served, offered = _served(weights, streams["messages"])
        found["availability_20s"] = _ratio(served, offered)
    return found


def _total(groups: pl.DataFrame, column: str) -> float:
    pairs = groups.select("weight", pl.col(column).fill_null(0)).iter_rows()
    return math.fsum(weight * amount for weight, amount in pairs)


def _ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator > 0 else None


def _wire(weights: FleetWeights, packets: pl.DataFrame) -> tuple[float, float]:
    """Return the weighted bytes and packets that entered the paths."""
    of_paths = {path: found[0] for path, found in weights.weights_of_paths().items()}
    offered = packets.filter(fate="offered").select("path", "bytes", "packets").rows()
    return (
        math.fsum(of_paths[path] * size for path, size, _ in offered),
        math.fsum(of_paths[path] * count for path, _, count in offered),
    )


def _served(weights: FleetWeights, messages: Stream) -> tuple[float, float]:
    """Return the weighted numbers of measured messages: within 20 s, and all."""
    in_time = pl.col("latency_ms").is_not_null() & (pl.col("latency_ms") <= _SERVED_WITHIN_MS)
    served: list[float] = []
    offered: list[float] = []
    for stratum, rows in _by_stratum(weights, messages):
        found = rows.select(pl.len(), in_time.sum().alias("served")).row(0)
        offered.append(stratum * found[0])
        served.append(stratum * found[1])
    return math.fsum(served), math.fsum(offered)


def _by_stratum(weights: FleetWeights, messages: Stream) -> Iterator[tuple[float, pl.DataFrame]]:
    """Yield the measured messages of each stratum with its weight, in pieces."""
    for piece in pieces(_view(messages)):
        measured = piece.filter(pl.col("measured")).select(*_DEVICES, "latency_ms")
        for one in weights.strata:
            last = one.first + one.devices - 1
            within = (pl.col("group") == one.group) & pl.col("device").is_between(one.first, last)
            yield one.weight, measured.filter(within)


def _bytes(stream: Stream) -> bytes:
    return stream.read_bytes() if isinstance(stream, Path) else stream


def _view(stream: Stream) -> memoryview:
    """Return the bytes of a stream. A file is memory-mapped, because it may be large."""
    if not isinstance(stream, Path):
        return memoryview(stream)
    with stream.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

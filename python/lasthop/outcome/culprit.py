"""The message that shows why an expectation failed, and where it is in the packets."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop import _native
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lasthop.answer.expectation import Expectation
    from lasthop.outcome.results import Results

_PIECE_BYTES = 1 << 20
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """One message of the run that is furthest from an expectation.

    Attributes
    ----------
    host
        The device, by its group and its number there.
    what
        What became of the message.
    packets
        The numbers of the packets that carry it in the capture, counted from 1.
    capture
        The file of the capture, None where packets were not kept.
    """

    run_id: str
    seed: int
    host: str
    flow: str
    message: int
    intended_s: float
    what: str
    packets: tuple[int, ...]
    capture: Path | None


def culprit_of(results: Results, found: Expectation) -> Culprit | None:
    """Look for the message that shows best why an expectation failed.

    Of copies it is the first that came twice, of latencies the slowest; otherwise the first that
    was sent and never acknowledged, though others of its device were, or that did not arrive.
    """
    if found.worst is None:
        return None
    run_id = str(found.worst["run_id"])
    (run,) = results.runs.filter(run_id=run_id).head(1).to_dicts()
    messages = results.messages.filter(run_id=run_id, measured=True).sort("intended_ns")
    row = _guilty(messages, found.text)
    if row is None:
        return None
    spec = RunSpecReader.of(run["run_spec"])
    host = _host(spec, row)
    capture = results.path / "captures" / f"{run_id}.{host}.pcapng"
    kept = capture if capture.is_file() else None
    return Culprit(
        run_id=run_id,
        seed=run["seed"],
        host=host,
        flow=row["flow"],
        message=row["message"],
        intended_s=row["intended_ns"] / _NS_PER_S,
        what=_fate(row),
        packets=() if kept is None else _packets(kept, spec, row),
        capture=kept,
    )


def _guilty(messages: pl.DataFrame, expectation: str) -> Mapping[str, Any] | None:
    never_arrived = messages.filter(pl.col("delivered_ns").is_null())
    if "duplicated" in expectation:
        candidates = [messages.filter(pl.col("deliveries") > 1)]
    elif "latency" in expectation:
        slowest = messages.sort("latency_ms", descending=True, nulls_last=False)
        candidates = [slowest]
    else:
        is_acknowledged = pl.col("acknowledged_ns").is_not_null()
        ends_acknowledged = is_acknowledged.any().over("group", "flow", "device")
        is_sent = pl.col("sent_ns").is_not_null()
        sent = messages.filter(is_sent & ~is_acknowledged & ends_acknowledged)
        candidates = [sent, never_arrived.filter(is_sent), never_arrived]
    return next((found.row(0, named=True) for found in candidates if found.height), None)


def _fate(row: Mapping[str, Any]) -> str:
    if row["deliveries"] > 1:
        return f"arrived {row['deliveries']} times"
    if row["sent_ns"] is None:
        return "never left its device"
    if row["acknowledged_ns"] is None and row["delivered_ns"] is not None:
        return f"arrived after {row['latency_ms']:.1f} ms, and was never acknowledged"
    if row["delivered_ns"] is None:
        return f"never arrived ({row['failure'] or row['status']})"
    return f"arrived after {row['latency_ms']:.1f} ms"


def _host(spec: RunSpecReader, row: Mapping[str, Any]) -> str:
    """Name a device by its group and its number there."""
    first = 0
    for group, devices in spec.devices_by_group.items():
        if group == row["group"]:
            return f"{group}-{row['device'] - first}"
        first += devices or 0
    return f"{row['group']}-{row['device']}"


def _packets(capture: Path, spec: RunSpecReader, row: Mapping[str, Any]) -> tuple[int, ...]:
    channel = spec.channel(row["group"], row["flow"])
    search = _native.CaptureSearch(row["device"], channel, row["message"])
    # A capture that broke off has what came before.
    with suppress(ValueError), capture.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            search.feed(piece)
    return tuple(search.found())

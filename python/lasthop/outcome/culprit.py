"""Finds the message that shows why an expectation failed, and its packets."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop import _native
from lasthop.answer.failures import ARRIVALS
from lasthop.outcome.publications import publications, repetition_in_words
from lasthop.study.expressions import parse_expression
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from lasthop.answer.expectation import Expectation
    from lasthop.outcome.results import Results

_PIECE_BYTES = 1 << 20
_NS_PER_S = 1e9
_NS_PER_MS = 1e6
_COPIES = "messages_duplicated"
_WAITS = ("latency_", "response_")
_BACK = "round_trip"
"""Name of the flow of messages that return to their device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """The message that violates an expectation most.

    Attributes
    ----------
    host
        The device by group and number.
    what
        What happened to the message.
    packets
        The numbers of the packets that carry it in the capture, counted from 1.
    capture
        File of the capture; None if packets were not captured.
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

    def as_json(self) -> dict[str, Any]:
        """Return the message as plain values for JSON."""
        capture = None if self.capture is None else f"captures/{self.capture.name}"
        return {**asdict(self), "packets": list(self.packets), "capture": capture}


def culprit_of(results: Results, found: Expectation) -> Culprit | None:
    """Return the message that shows best why an expectation failed.

    Of copies it is the first that came twice, of latencies the slowest; of arrivals the first that
    was acknowledged and did not arrive, that was sent and never acknowledged, though others of its
    device were, or that did not arrive. Nothing where the expectation is about anything else.
    """
    names = set(parse_expression(found.text).comparison.columns)
    if found.worst is None or not any(map(_is_of_messages, names)):
        return None
    if not (results.path / "messages.parquet").exists():
        return None
    run_id = str(found.worst["run_id"])
    (run,) = results.described(["run_spec"]).filter(run_id=run_id).head(1).to_dicts()
    messages = results.messages_of(run_id).filter(pl.col("measured")).sort("intended_ns")
    for name in ("group", "flow"):
        if (place := found.worst.get(name)) is not None:
            messages = messages.filter(pl.col(name) == place)
    row = _guilty(messages, names)
    if row is None:
        return None
    spec = RunSpecReader.of(run["run_spec"])
    host = host_of(spec, row)
    capture = results.path / "captures" / f"{run_id}.{host}.pcapng"
    kept = capture if capture.is_file() else None
    search = None if kept is None else search_of(kept, spec, row)
    seen = "" if search is None else repetition_in_words(publications(search))
    return Culprit(
        run_id=run_id,
        seed=run["seed"],
        host=host,
        flow=row["flow"],
        message=row["message"],
        intended_s=row["intended_ns"] / _NS_PER_S,
        what="; ".join(filter(None, (fate_in_words(row, spec), seen))),
        packets=() if search is None else tuple(search.found()),
        capture=kept,
    )


def _is_of_messages(name: str) -> bool:
    return name == _COPIES or name in ARRIVALS or name.startswith(_WAITS)


def _guilty(messages: pl.DataFrame, names: AbstractSet[str]) -> Mapping[str, Any] | None:
    never_arrived = messages.filter(pl.col("delivered_ns").is_null())
    if _COPIES in names:
        candidates = [messages.filter(pl.col("deliveries") > 1)]
    elif not names & ARRIVALS:
        slowest = messages.sort("latency_ms", descending=True, nulls_last=False)
        candidates = [slowest]
    else:
        is_acknowledged = pl.col("acknowledged_ns").is_not_null()
        ends_acknowledged = is_acknowledged.any().over("group", "flow", "device")
        is_sent = pl.col("sent_ns").is_not_null()
        sent = messages.filter(is_sent & ~is_acknowledged & ends_acknowledged)
        kept = never_arrived.filter(is_acknowledged)
        candidates = [kept, sent, never_arrived.filter(is_sent), never_arrived]
    return next((found.row(0, named=True) for found in candidates if found.height), None)


def fate_in_words(row: Mapping[str, Any], spec: RunSpecReader) -> str:
    """Describe what happened to a message and which end caused it, if known."""
    if row["deliveries"] > 1:
        return f"arrived {row['deliveries']} times"
    if row["sent_ns"] is None:
        return "never left its device"
    # Of a round trip by a broker, whoever acknowledges is also who has to send it back.
    broker = "the broker" if _is_round_trip_by_broker(row, spec) else ""
    if row["delivered_ns"] is None:
        return _never_arrived(row, broker)
    arrived = f"arrived after {row['latency_ms']:.1f} ms"
    if row["acknowledged_ns"] is not None:
        return arrived
    if broker:
        return f"{arrived}: {broker} forwarded it and never acknowledged it"
    return f"{arrived}, and was never acknowledged"


def _never_arrived(row: Mapping[str, Any], broker: str) -> str:
    why = row["failure"] or row["status"]
    if row["acknowledged_ns"] is None:
        silent = f": no acknowledgement of {broker} arrived" if broker else ""
        return f"never arrived ({why}){silent}"
    after = (row["acknowledged_ns"] - row["intended_ns"]) / _NS_PER_MS
    if broker:
        done = f"acknowledged it after {after:.1f} ms and never forwarded it"
        return f"never arrived: {broker} {done}"
    return f"never arrived ({why}), though it was acknowledged after {after:.1f} ms"


def _is_round_trip_by_broker(row: Mapping[str, Any], spec: RunSpecReader) -> bool:
    return spec.applications_of(row["group"]) == {"mqtt"} and spec.kind_of(row["flow"]) == _BACK


def host_of(spec: RunSpecReader, row: Mapping[str, Any]) -> str:
    """Return the name of a device by group and number."""
    first = 0
    for group, devices in spec.devices_by_group.items():
        if group == row["group"]:
            return f"{group}-{row['device'] - first}"
        first += devices or 0
    return f"{row['group']}-{row['device']}"


def search_of(capture: Path, spec: RunSpecReader, row: Mapping[str, Any]) -> _native.CaptureSearch:
    """Search a capture for the packets that carry a message."""
    channel = spec.channel(row["group"], row["flow"])
    search = _native.CaptureSearch(row["device"], channel, row["message"])
    # A capture that broke off has what came before.
    with suppress(ValueError), capture.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            search.feed(piece)
    return search

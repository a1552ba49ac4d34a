"""Tables of a run with real-software devices, from device output and emulated paths."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.results.arrow_stream import arrow_stream
from lasthop.results.schema import GROUPS, LEDGER, MESSAGES, PACKETS, SIMULATED_TABLES, SUMMARY
from lasthop.running.external_ages import timeliness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lasthop.results.part import Stream
    from lasthop.results.schema import Schema
    from lasthop.running.external_schedule import ExternalDevice

Row = dict[str, Any]
_NS_PER_MS = 1e6
_ETHERNET_BYTES = 14
_WAYS = ("up", "down")
_PERCENTILES = {
    "latency_p50_ms": 0.50,
    "latency_p95_ms": 0.95,
    "latency_p99_ms": 0.99,
    "latency_p99_9_ms": 0.999,
}
_LATENESS = {"lateness_p50_ms": "p50_ns", "lateness_p99_ms": "p99_ns", "lateness_max_ms": "max_ns"}


@dataclass(frozen=True, slots=True)
class CarriedPath:
    """The path of a device with the final report of its emulator."""

    device: ExternalDevice
    told: Mapping[str, Any]


def message_rows(
    planned: Iterable[Row],
    told: Mapping[str, Sequence[Sequence[str]]],
    ends: Sequence[tuple[str, str | None]],
    kept: Sequence[bool],
    zero_ns: int,
) -> list[Row]:
    """Return the rows of messages: the planned ones with the devices' reports.

    Parameters
    ----------
    planned
        Rows of the simulated run.
    told
        Lines printed by each device as lists of words, by device name.
    ends
        Sender of each planned message, and its receiver if there are several.
    kept
        Whether each message ends in the server, which has it when it acknowledges.
    zero_ns
        The instant of the monotonic clock at which the time of the run was zero.
    """
    sent, acknowledged = _own(told, "sent"), _own(told, "acknowledged")
    heard: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for device, lines in told.items():
        for kind, *words in lines:
            if kind == "heard":
                heard.setdefault(tuple(words[0].split("/")), []).append((device, int(words[1])))
    rows = []
    for row, (sender, receiver), is_kept in zip(planned, ends, kept, strict=True):
        key = (sender, row["flow"], str(row["message"]))
        arrivals = sorted(at for by, at in heard.get(key, ()) if receiver in (None, by))
        if is_kept:
            arrivals = [acknowledged[key]] if key in acknowledged else []
        instants = {
            "sent_ns": sent.get(key),
            "acknowledged_ns": acknowledged.get(key),
            "delivered_ns": arrivals[0] if arrivals else None,
        }
        since = {name: None if at is None else at - zero_ns for name, at in instants.items()}
        delivered = since["delivered_ns"]
        latency = None if delivered is None else (delivered - row["intended_ns"]) / _NS_PER_MS
        found = {
            "attempts": int(key in sent),
            "deliveries": len(arrivals),
            "status": "delivered" if arrivals else "unfinished",
            "failure": None,
            "latency_ms": latency,
            "is_kept": is_kept,
        }
        rows.append({**row, **since, **found})
    return rows


def _own(told: Mapping[str, Sequence[Sequence[str]]], kind: str) -> dict[tuple[str, ...], int]:
    return {
        (device, flow, number): int(at)
        for device, lines in told.items()
        for found, flow, number, at in (line for line in lines if line[0] == kind)
        if found == kind
    }


def tables(
    run_id: str,
    messages: Sequence[Row],
    paths: Sequence[CarriedPath],
    *,
    sizes: Mapping[str, int],
    deadlines: Mapping[str, int],
) -> dict[str, Stream]:
    """Return the tables of a run as streams. Unobservable values are empty.

    Parameters
    ----------
    sizes
        Payload bytes of a message of each flow.
    deadlines
        Time within which a message of a flow should be delivered, in ns, for flows that set one.
    """
    messages = [{**row, "in_time": _is_in_time(row, deadlines)} for row in messages]
    rows: dict[str, tuple[list[Row], Schema]] = {
        "messages": ([{**row, "run_id": run_id} for row in messages], MESSAGES),
        "ledger": (list(_ledger(run_id, paths)), LEDGER),
        "packets": (list(_packets(run_id, paths)), PACKETS),
        "groups": (list(_groups(run_id, messages, paths)), GROUPS),
    }
    streams: dict[str, Stream] = {
        name: arrow_stream(schema.table(content)) for name, (content, schema) in rows.items()
    }
    empty = {name: schema.empty() for name, schema in SIMULATED_TABLES.items()}
    rest = {name: arrow_stream(table) for name, table in empty.items() if name not in streams}
    summary = {**dict.fromkeys(SUMMARY.names), **_summary(messages, paths, sizes)}
    told = arrow_stream(SUMMARY.table([summary]))
    return {"summary": told, **streams, **rest}


def _summary(
    messages: Sequence[Row], paths: Sequence[CarriedPath], sizes: Mapping[str, int]
) -> Row:
    first_sent = sum(
        sizes[row["flow"]] * (_is_said(row) + (row["deliveries"] > 0 and not row["is_kept"]))
        for row in messages
    )
    sums = {
        f"{unit}_{way}_{fate}": sum(path.told[way][fate][of] for path in paths)
        for way in _WAYS
        for fate in ("offered", "delivered")
        for unit, of in (("wire_bytes", "bytes"), ("packets", "packets"))
    }
    wire = sum(sums[f"wire_bytes_{way}_offered"] for way in _WAYS)
    ethernet = wire + _ETHERNET_BYTES * sum(sums[f"packets_{way}_offered"] for way in _WAYS)
    late = [path.told["lateness"] for path in paths]
    measured = [row for row in messages if row["measured"]]
    delivered = sum(row["status"] == "delivered" for row in measured)
    each = {"": wire, "_ethernet": ethernet} if delivered else {}
    return {
        "status": "completed",
        **_counts(measured),
        **{f"wire_bytes_per_message{unit}": total / delivered for unit, total in each.items()},
        "messages_duplicated": sum(row["deliveries"] > 1 for row in measured),
        "messages_unsent": sum(row["attempts"] == 0 for row in measured),
        **_latencies(measured),
        **timeliness(messages),
        **_responses(measured),
        **sums,
        "payload_bytes_first_sent": first_sent,
        "control_bytes_per_100": _per_100(wire, first_sent),
        "control_bytes_per_100_ethernet": _per_100(ethernet, first_sent),
        **{name: max(it[key] for it in late) / _NS_PER_MS for name, key in _LATENESS.items()},
    }


def _is_in_time(row: Row, deadlines: Mapping[str, int]) -> bool | None:
    if row["flow"] not in deadlines:
        return None
    latency = row["latency_ms"]
    return latency is not None and latency * _NS_PER_MS <= deadlines[row["flow"]]


def _is_said(row: Row) -> bool:
    """Return whether a row counts the message on its way to the server (first receiver only)."""
    return bool(row["attempts"] > 0 and not row["receiver"])


def _counts(measured: Sequence[Row]) -> Row:
    status = Counter(row["status"] for row in measured)
    return {
        "messages_offered": len(measured),
        "messages_delivered": status["delivered"],
        "messages_failed": 0,
        "messages_unfinished": status["unfinished"],
        "delivery_ratio": status["delivered"] / len(measured) if measured else None,
    }


def _latencies(measured: Sequence[Row]) -> Row:
    """Return latency columns: the mean of arrived messages, percentiles of offered ones."""
    arrived = sorted(row["latency_ms"] for row in measured if row["latency_ms"] is not None)
    found: Row = {"latency_mean_ms": sum(arrived) / len(arrived) if arrived else None}
    for name, share in _PERCENTILES.items():
        place = max(1, math.ceil(share * len(measured))) - 1
        found[name] = arrived[place] if place < len(arrived) else None
    found["latency_max_ms"] = arrived[-1] if arrived and len(arrived) == len(measured) else None
    return found


def _responses(measured: Sequence[Row]) -> Row:
    """Return response-time columns: how long acknowledged messages waited for it."""
    waited = [
        (row["acknowledged_ns"] - row["intended_ns"]) / _NS_PER_MS
        for row in measured
        if row["acknowledged_ns"] is not None
    ]
    if not waited:
        return {}
    return {"response_mean_ms": sum(waited) / len(waited), "response_max_ms": max(waited)}


def _groups(run_id: str, messages: Sequence[Row], paths: Sequence[CarriedPath]) -> Iterator[Row]:
    devices = Counter(path.device.group for path in paths)
    for group, flow in dict.fromkeys((row["group"], row["flow"]) for row in messages):
        of_flow = [row for row in messages if (row["group"], row["flow"]) == (group, flow)]
        measured = [row for row in of_flow if row["measured"]]
        named = {"run_id": run_id, "group": group, "flow": flow}
        count = {"devices": devices[group], "weight": 1.0}
        found = {**_counts(measured), **_latencies(measured), **timeliness(of_flow)}
        yield {**named, **count, **found}


def _ledger(run_id: str, paths: Sequence[CarriedPath]) -> Iterator[Row]:
    total: Counter[tuple[str, ...]] = Counter()
    for path in paths:
        for row in path.told["ledger"]:
            key = (path.device.path_name, row["direction"], row["layer"], row["cause"])
            total[key] += row["bytes"]
    for (path_name, direction, layer, cause), size in sorted(total.items()):
        where = {"run_id": run_id, "path": path_name, "direction": direction, "fate": "offered"}
        yield {**where, "layer": layer, "cause": cause, "bytes": size}


def _packets(run_id: str, paths: Sequence[CarriedPath]) -> Iterator[Row]:
    total: Counter[tuple[str, ...]] = Counter()
    for path in paths:
        for way in _WAYS:
            did = path.told[way]
            fates = [("offered", "", did["offered"]), ("delivered", "", did["delivered"])]
            fates += [("dropped", reason, tally) for reason, tally in did["dropped"].items()]
            for fate, reason, tally in fates:
                for unit in ("packets", "bytes"):
                    total[path.device.path_name, way, fate, reason, unit] += tally[unit]
    for name, way, fate, reason in dict.fromkeys(key[:4] for key in total):
        where = {"run_id": run_id, "path": name, "direction": way, "fate": fate}
        sizes = {unit: total[name, way, fate, reason, unit] for unit in ("packets", "bytes")}
        yield {**where, "reason": reason or None, **sizes}


def _per_100(wire_bytes: int, payload_bytes: int) -> float | None:
    return 100 * (wire_bytes - payload_bytes) / payload_bytes if payload_bytes else None

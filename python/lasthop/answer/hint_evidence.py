"""What the runs of a study tell about each stack, as far as a hint needs it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_RUNS = (
    "run_id",
    "case_id",
    "stack",
    "status",
    "run_spec",
    "messages_offered",
    "messages_delivered",
    "messages_failed",
    "retransmissions_application",
    "latency_p50_ms",
)
_PARTS = {"flows", "groups", "paths", "stacks"}
_MS = 1e6
_NO_ID = (0, "0", "0B", "0 B")
_FROM_DEVICE = ("report", "round_trip")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackEvidence:
    """A stack on one path at one point.

    Parameters
    ----------
    nat_ns
        After which silence the NAT forgets a device that speaks this stack; infinite without a NAT.
    silence_ns
        How long a device is silent at most between two messages of its own.
    keep_alive_ns, keep_alive_option
        Its keep-alive, and the option that says it; 0 where it has none.
    failed, missing
        Messages that never arrive, and all that did not arrive.
    packets
        That were offered to the path.
    drops
        Packets that the path dropped, by reason.
    shares
        Of the bytes that were offered, by cause.
    """

    name: str
    layers: frozenset[str]
    nat_ns: float
    silence_ns: float
    keep_alive_ns: int
    keep_alive_option: str
    ack_timeout_ns: int | None
    connection_id: bool
    failed: int
    missing: int
    sent_again: int
    median_ns: float | None
    packets: int
    drops: Mapping[str, int]
    shares: Mapping[str, float]

    def dropped(self, reason: str) -> int:
        """Return the number of packets that were dropped for a reason."""
        return self.drops.get(reason, 0)

    def share(self, cause: str) -> float:
        """Give the share of a cause in the bytes."""
        return self.shares.get(cause, 0.0)

    @property
    def has_nat(self) -> bool:
        """Whether a NAT on its path forgets devices."""
        return math.isfinite(self.nat_ns)

    @property
    def drop_ratio(self) -> float:
        """The share of packets that the path dropped."""
        return sum(self.drops.values()) / self.packets if self.packets else 0.0

    @property
    def smaller_packets(self) -> str:
        """The setting that makes its packets smaller."""
        if "tcp" in self.layers:
            return "tcp.path_mtu=probing"
        return "a smaller block_size" if "coap" in self.layers else "a smaller payload"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The completed runs of a study.

    Parameters
    ----------
    synchronised
        Flows whose devices all send at one moment, with the number of real devices.
    notes
        What was printed before the runs.
    """

    stacks: tuple[StackEvidence, ...]
    synchronised: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, folders: Iterable[Path], study: Mapping[str, Any]) -> Self:
        """Read the tables of result folders."""
        stacks: list[StackEvidence] = []
        synchronised: dict[str, float] = {}
        for folder in folders:
            for rows, spec in _cases(folder):
                synchronised |= _synchronised(spec)
                stacks += _stacks(folder, rows, spec)
        return cls(tuple(stacks), synchronised, tuple(study.get("notes") or ()))


def _cases(folder: Path) -> Iterator[tuple[pl.DataFrame, Mapping[str, Any]]]:
    """Give the completed runs of each stack and point, with one of their specs."""
    file = folder / "runs.parquet"
    if not file.exists():
        return
    table = pl.scan_parquet(file)
    if not set(_RUNS) <= set(table.collect_schema().names()):
        return
    runs = table.select(_RUNS).filter(status="completed").unique("run_id", maintain_order=True)
    for rows in runs.collect().partition_by("stack", "case_id", maintain_order=True):
        spec = json.loads(rows["run_spec"][0] or "{}")
        if spec.keys() >= _PARTS:
            yield rows, spec


def _stacks(folder: Path, rows: pl.DataFrame, spec: Mapping[str, Any]) -> Iterator[StackEvidence]:
    """Give the evidence of the first stack on each path."""
    seen: set[tuple[str, str]] = set()
    for group in spec.get("groups", ()):
        for client in group["clients"]:
            place = (group["path"], client["stack"])
            if place in seen or client["stack"] not in spec["stacks"]:
                continue
            seen.add(place)
            stack = spec["stacks"][client["stack"]]
            hops = spec["paths"][group["path"]]["hops"]
            packets, drops = _packets(folder, rows, group["path"])
            layers = _layers(stack)
            keep_alive, option = _keep_alive(stack)
            median = rows["latency_p50_ms"].median()
            yield StackEvidence(
                name=rows["stack"][0],
                layers=layers,
                nat_ns=_nat_ns(hops, layers),
                silence_ns=_silence_ns(spec, group["name"]),
                keep_alive_ns=keep_alive,
                keep_alive_option=option,
                ack_timeout_ns=_option(stack, "ack_timeout"),
                connection_id=_has_connection_id(stack),
                failed=int(rows["messages_failed"].sum() or 0),
                missing=int((rows["messages_offered"] - rows["messages_delivered"]).sum() or 0),
                sent_again=int(rows["retransmissions_application"].sum() or 0),
                median_ns=float(median) * _MS if isinstance(median, float) else None,
                packets=packets,
                drops=drops,
                shares=_shares(folder, rows, group["path"]),
            )


def _layers(stack: Mapping[str, Any]) -> frozenset[str]:
    return frozenset([stack["application"]["name"], *(one["name"] for one in stack["layers"])])


def _option(stack: Mapping[str, Any], name: str) -> int | None:
    value = stack["application"]["options"].get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _keep_alive(stack: Mapping[str, Any]) -> tuple[int, str]:
    """Give the shortest keep-alive and its option; run specs have whole seconds."""
    found = [(_option(stack, "keep_alive"), "keep_alive")]
    found += [
        (layer["options"].get("keep_alive"), f"{layer['name']}.keep_alive")
        for layer in stack["layers"]
    ]
    there = [
        (value * 10**9, option) for value, option in found if isinstance(value, int) and value > 0
    ]
    return min(there, default=(0, ""))


def _has_connection_id(stack: Mapping[str, Any]) -> bool:
    """Whether a stack has no DTLS, or DTLS with a connection ID."""
    dtls = next((one for one in stack["layers"] if one["name"] == "dtls"), None)
    return dtls is None or dtls["options"].get("cid", 0) not in _NO_ID


def _nat_ns(hops: Iterable[Mapping[str, Any]], layers: frozenset[str]) -> float:
    key = "tcp_timeout_ns" if "tcp" in layers else "udp_timeout_ns"
    timeouts = [hop["nat"].get(key) for hop in hops if "nat" in hop]
    return min((float(one) for one in timeouts if one is not None), default=math.inf)


def _silence_ns(spec: Mapping[str, Any], group: str) -> float:
    """Give the shortest interval at which a device of a group sends."""
    intervals = [_every_ns(flow) for flow in spec["flows"] if flow["from"] == group]
    return min(intervals, default=math.inf)


def _every_ns(flow: Mapping[str, Any]) -> float:
    arrivals = flow["arrivals"]
    if not isinstance(arrivals, dict):
        return math.inf
    (timing,) = arrivals.values()
    interval = float(timing.get("every_ns") or timing.get("mean_ns") or math.inf)
    return interval * int(flow["batch"])


def _synchronised(spec: Mapping[str, Any]) -> dict[str, float]:
    """Give the flows of devices that all begin at one moment, with their number."""
    found: dict[str, float] = {}
    for flow in spec["flows"]:
        group = next((one for one in spec["groups"] if one["name"] == flow["from"]), None)
        staying = None if group is None else group["population"].get("staying")
        at_random = isinstance(flow["arrivals"], dict) and "poisson" in flow["arrivals"]
        if group is None or staying is None or at_random or flow["spread_ns"]:
            continue
        if flow["kind"] in _FROM_DEVICE:
            found[flow["name"]] = staying["devices"] * group["weight"] * flow["share"]
    return found


def _packets(folder: Path, rows: pl.DataFrame, path: str) -> tuple[int, dict[str, int]]:
    """Give the packets that were offered to a path, and those that it dropped by reason."""
    file = folder / "packets.parquet"
    if not file.exists():
        return 0, {}
    found = (
        pl.scan_parquet(file)
        .filter(pl.col("run_id").is_in(rows["run_id"].implode()), path=path)
        .group_by("fate", "reason")
        .agg(pl.col("packets").sum())
        .collect()
    )
    offered = found.filter(fate="offered")["packets"].sum()
    dropped = found.filter(fate="dropped").select("reason", "packets")
    return int(offered), dict(dropped.iter_rows())


def _shares(folder: Path, rows: pl.DataFrame, path: str) -> dict[str, float]:
    """Give the share of each cause in the bytes that were offered to a path."""
    file = folder / "ledger.parquet"
    if not file.exists():
        return {}
    found = (
        pl.scan_parquet(file)
        .filter(pl.col("run_id").is_in(rows["run_id"].implode()), path=path, fate="offered")
        .group_by("cause")
        .agg(pl.col("bytes").sum())
        .collect()
    )
    total = found["bytes"].sum()
    return {cause: size / total for cause, size in found.iter_rows()} if total else {}

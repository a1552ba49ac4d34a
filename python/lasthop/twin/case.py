"""Metrics of a stack at a place in both worlds, with verdicts."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from lasthop.statistics.contrasts import difference, difference_of_shares
from lasthop.statistics.effective_sample import share_interval
from lasthop.statistics.intervals import Interval, interval
from lasthop.twin.gap import GapRow, gap, offered
from lasthop.twin.limits import (
    DELIVERY_POINTS,
    LOSSLESS_BYTES,
    LOSSLESS_MEDIAN,
    LOSSLESS_MEDIAN_MS,
    LOSSY_MEDIAN,
    LOSSY_P95,
    Limit,
    is_plain,
)
from lasthop.twin.row import TwinRow
from lasthop.twin.verdict import TwinVerdict, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lasthop.answer.arms import AnswerArm
    from lasthop.compare.place import Place

Values = dict[int, float]
"""Values by seed."""


@dataclass(frozen=True, slots=True)
class Case:
    """A stack at a place, with its runs in both worlds."""

    place: Place
    virtual: AnswerArm
    live: AnswerArm
    ledgers: tuple[pl.DataFrame, pl.DataFrame]
    confidence: float

    def rows(self) -> Iterator[TwinRow]:
        """Yield the metrics of the stack that have limits on this path."""
        plain = is_plain(self.live.completed["run_spec"][0])
        yield self._delivery(plain=plain)
        if plain:
            for direction in ("up", "down"):
                yield self._exact(f"payload {direction}", "B", self._payload(direction))
                yield self._exact(f"data segments {direction}", "", self._segments(direction))
            limits = {"latency_p50_ms": Limit(LOSSLESS_MEDIAN, LOSSLESS_MEDIAN_MS)}
        else:
            limits = {"latency_p50_ms": Limit(LOSSY_MEDIAN), "latency_p95_ms": Limit(LOSSY_P95)}
        for column, limit in limits.items():
            values = self._column(column)
            name = column.removesuffix("_ms").replace("_", " ")
            yield self._within(name, "ms", values, limit)
        if plain:
            yield self._within("bytes", "B", self._all_bytes(), Limit(LOSSLESS_BYTES))

    def gap(self) -> list[GapRow]:
        """Return the bytes of the stack by layer and cause in both worlds."""
        ids = [arm.completed["run_id"].to_list() for arm in (self.virtual, self.live)]
        both = [offered(table, each) for table, each in zip(self.ledgers, ids, strict=True)]
        return gap(both[0], both[1], runs=(len(ids[0]), len(ids[1])))

    def _column(self, column: str) -> tuple[Values, Values]:
        return (
            self.virtual.measured(column, worst=math.inf),
            self.live.measured(column, worst=math.inf),
        )

    def _payload(self, direction: str) -> tuple[Values, Values]:
        is_payload = (pl.col("layer") == "application") & (pl.col("cause") == "payload")
        return self._of_ledger(is_payload & (pl.col("direction") == direction))

    def _all_bytes(self) -> tuple[Values, Values]:
        return self._of_ledger(pl.col("bytes") > 0)

    def _segments(self, direction: str) -> tuple[Values, Values]:
        """Return the number of segments with data, from the bytes of their headers."""
        is_header = (pl.col("layer").is_in(["tcp", "udp"])) & (pl.col("cause") == "header")
        bytes_of = self._of_ledger(is_header & (pl.col("direction") == direction))
        header = _header_bytes(self.live.completed["run_spec"][0])
        virtual, live = (
            {seed: value / header for seed, value in values.items()} for values in bytes_of
        )
        return virtual, live

    def _of_ledger(self, chosen: pl.Expr) -> tuple[Values, Values]:
        found = []
        for arm, ledger in zip((self.virtual, self.live), self.ledgers, strict=True):
            rows = ledger.filter(chosen, pl.col("fate") == "offered").unique()
            sums = dict(rows.group_by("run_id").agg(pl.col("bytes").sum()).iter_rows())
            ids = zip(arm.completed["seed"], arm.completed["run_id"], strict=True)
            found.append({seed: float(sums.get(run_id, 0)) for seed, run_id in ids})
        return found[0], found[1]

    def _exact(self, metric: str, unit: str, values: tuple[Values, Values]) -> TwinRow:
        virtual, live = values
        common = virtual.keys() & live.keys()
        equal = all(virtual[seed] == live[seed] for seed in common)
        verdict = TwinVerdict.INSIDE if equal else TwinVerdict.OUTSIDE
        return self._row(
            metric, unit, values, verdict if common else TwinVerdict.UNDECIDED, limit=Limit()
        )

    def _within(
        self, metric: str, unit: str, values: tuple[Values, Values], limit: Limit
    ) -> TwinRow:
        found = difference(values[1], values[0], confidence=self.confidence).additive
        verdict = judge(found, limit.around(_mean(values[0])))
        if not any(map(math.isfinite, _all(values))):
            verdict = TwinVerdict.BOTH_NEVER
        if not all(map(math.isfinite, _all(values))):
            # Between what was reached and what was not is no number.
            found = replace(found, mean=math.nan, low=-math.inf, high=math.inf)
        return self._row(metric, unit, values, verdict, limit=limit, found=found)

    def _delivery(self, *, plain: bool) -> TwinRow:
        values = self._column("delivery_ratio")
        if plain:
            return self._exact("delivery", "fraction", values)
        offered_messages = self._column("messages_offered")
        found = difference_of_shares(
            values[1],
            values[0],
            trials=(offered_messages[1], offered_messages[0]),
            confidence=self.confidence,
        ).additive
        limit = Limit(least=DELIVERY_POINTS)
        verdict = judge(found, DELIVERY_POINTS)
        is_apart = found.repetitions > 1 and not found.low <= 0 <= found.high
        if verdict is TwinVerdict.UNDECIDED and is_apart:
            verdict = TwinVerdict.OUTSIDE
        return self._row("delivery", "fraction", values, verdict, limit=limit, found=found)

    def _row(  # noqa: PLR0913  (the parts of a row)
        self,
        metric: str,
        unit: str,
        values: tuple[Values, Values],
        verdict: TwinVerdict,
        *,
        limit: Limit,
        found: Interval | None = None,
    ) -> TwinRow:
        return TwinRow(
            place=self.place.label,
            stack=self.live.stack,
            metric=metric,
            unit=unit,
            virtual=self._mean_of(metric, 0, values[0]),
            live=self._mean_of(metric, 1, values[1]),
            difference=found or difference(values[1], values[0]).additive,
            limit=limit,
            verdict=verdict,
        )

    def _mean_of(self, metric: str, world: int, values: Values) -> Interval:
        found = list(values.values())
        if metric != "delivery":
            return interval(found)
        offered = self._column("messages_offered")[world]
        known = offered.keys() >= values.keys()
        return share_interval(found, [offered[seed] for seed in values] if known else None)


def _mean(values: Mapping[int, float]) -> float:
    return math.fsum(values.values()) / len(values)


def _all(values: tuple[Values, Values]) -> Iterator[float]:
    return (value for world in values for value in world.values())


def _header_bytes(spec_json: str) -> int:
    """Return the header length of a segment or datagram; for TCP with timestamps."""
    stack = next(iter(json.loads(spec_json)["stacks"].values()))
    layers = {layer["name"]: layer["options"] for layer in stack["layers"]}
    if "tcp" not in layers:
        return 8
    return 32 if layers["tcp"].get("timestamps") else 20

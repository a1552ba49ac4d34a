"""The virtual and the live value of each metric, case and stack, and what is said of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Self

import polars as pl

from lasthop.answer.arms import Arm, arms_of, stack_names
from lasthop.compare.place import Place, places
from lasthop.statistics.contrasts import difference, difference_of_shares
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

Values = dict[int, float]
"""By seed."""


@dataclass(frozen=True, slots=True)
class World:
    """What a folder of results tells of a world.

    Parameters
    ----------
    study
        As the manifest holds it.
    runs, ledger
        The tables.
    """

    study: Mapping[str, Any]
    runs: pl.DataFrame
    ledger: pl.DataFrame


class Verdict(Enum):
    """Whether the simulator is as near to real software as it says."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class TwinRow:
    """One metric of a stack at a place, in both worlds.

    Parameters
    ----------
    difference
        Live less virtual, with its interval; None where there are runs of one world alone.
    limit
        In words.
    """

    place: str
    stack: str
    metric: str
    unit: str
    virtual: Interval
    live: Interval
    difference: Interval
    limit: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class TwinGap:
    """The bytes of a stack at a place by layer and cause, in both worlds."""

    place: str
    stack: str
    rows: tuple[GapRow, ...]

    @property
    def gap_bytes(self) -> float:
        """How many more there are live, a run on average."""
        return math.fsum(row.gap_bytes for row in self.rows)


@dataclass(frozen=True, slots=True)
class Missing:
    """A stack at a place of which a world has no run that counts."""

    place: str
    stack: str
    reason: str


@dataclass(frozen=True, slots=True)
class Twin:
    """Two folders of one study, held against each other."""

    rows: tuple[TwinRow, ...]
    gaps: tuple[TwinGap, ...]
    missing: tuple[Missing, ...]

    @classmethod
    def of(cls, virtual: World, live: World) -> Self:
        """Hold the runs of one study in both worlds against each other."""
        ledgers = (virtual.ledger, live.ledger)
        names = stack_names(live.study)
        of_virtual, of_live = (places(it.runs, it.study) for it in (virtual, live))
        rows: list[TwinRow] = []
        gaps: list[TwinGap] = []
        missing: list[Missing] = []
        for place, runs in of_live.items():
            simulated = of_virtual.get(place, runs.clear())
            pairs = zip(arms_of(simulated, names), arms_of(runs, names), strict=True)
            for before, after in pairs:
                case = _Case(place, before, after, ledgers)
                if reason := case.missing:
                    missing.append(Missing(place.label, after.stack, reason))
                    continue
                rows += case.rows()
                gaps.append(TwinGap(place.label, after.stack, tuple(case.gap())))
        return cls(tuple(rows), tuple(gaps), tuple(missing))

    def count(self, verdict: Verdict) -> int:
        """Say how many metrics have a verdict."""
        return sum(row.verdict is verdict for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Case:
    """A stack at a place in both worlds."""

    place: Place
    virtual: Arm
    live: Arm
    ledgers: tuple[pl.DataFrame, pl.DataFrame]

    @property
    def missing(self) -> str:
        for name, arm in (("virtual", self.virtual), ("live", self.live)):
            if arm.completed.is_empty():
                return f"{name}: {arm.troubles[0].reason}" if arm.troubles else f"{name}: no run"
        return ""

    def rows(self) -> Iterator[TwinRow]:
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
        """Count segments with data by the bytes of their headers, which are alike in a run."""
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
            rows = ledger.filter(chosen, pl.col("fate") == "offered")
            sums = dict(rows.group_by("run_id").agg(pl.col("bytes").sum()).iter_rows())
            ids = zip(arm.completed["seed"], arm.completed["run_id"], strict=True)
            found.append({seed: float(sums.get(run_id, 0)) for seed, run_id in ids})
        return found[0], found[1]

    def _exact(self, metric: str, unit: str, values: tuple[Values, Values]) -> TwinRow:
        virtual, live = values
        common = virtual.keys() & live.keys()
        equal = all(virtual[seed] == live[seed] for seed in common)
        verdict = Verdict.INSIDE if equal else Verdict.OUTSIDE
        return self._row(
            metric, unit, values, verdict if common else Verdict.UNDECIDED, limit=Limit()
        )

    def _within(
        self, metric: str, unit: str, values: tuple[Values, Values], limit: Limit
    ) -> TwinRow:
        found = difference(values[1], values[0]).additive
        most = limit.around(_mean(values[0]))
        return self._row(metric, unit, values, _judge(found, most), limit=limit, found=found)

    def _delivery(self, *, plain: bool) -> TwinRow:
        values = self._column("delivery_ratio")
        if plain:
            return self._exact("delivery", "fraction", values)
        offered_messages = self._column("messages_offered")
        found = difference_of_shares(
            values[1], values[0], trials=(offered_messages[1], offered_messages[0])
        ).additive
        limit = Limit(least=DELIVERY_POINTS)
        verdict = _judge(found, DELIVERY_POINTS)
        if verdict is Verdict.UNDECIDED and not found.low <= 0 <= found.high:
            verdict = Verdict.OUTSIDE
        return self._row("delivery", "fraction", values, verdict, limit=limit, found=found)

    def _row(  # noqa: PLR0913  (the parts of a row)
        self,
        metric: str,
        unit: str,
        values: tuple[Values, Values],
        verdict: Verdict,
        *,
        limit: Limit,
        found: Interval | None = None,
    ) -> TwinRow:
        return TwinRow(
            place=self.place.label,
            stack=self.live.stack,
            metric=metric,
            unit=unit,
            virtual=interval(list(values[0].values())),
            live=interval(list(values[1].values())),
            difference=found or difference(values[1], values[0]).additive,
            limit=limit.in_words(unit),
            verdict=verdict,
        )


def _judge(found: Interval, most: float) -> Verdict:
    """Say where an interval lies; of one repetition there is none."""
    if found.repetitions == 1 or not math.isfinite(found.mean):
        return Verdict.UNDECIDED
    if -most <= found.low and found.high <= most:
        return Verdict.INSIDE
    if found.low > most or found.high < -most:
        return Verdict.OUTSIDE
    return Verdict.UNDECIDED


def _mean(values: Mapping[int, float]) -> float:
    return math.fsum(values.values()) / len(values)


def _header_bytes(spec_json: str) -> int:
    """Give the length of the header of a segment or datagram; TCP's with its time stamps."""
    stack = next(iter(json.loads(spec_json)["stacks"].values()))
    layers = {layer["name"]: layer["options"] for layer in stack["layers"]}
    if "tcp" not in layers:
        return 8
    return 32 if layers["tcp"].get("timestamps") else 20

"""What the data bill of a SIM is for, by stack: dear causes, old prices, extrapolation."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop.answer.completed_runs import completed_runs
from lasthop.answer.quantities import format_quantity
from lasthop.study.plan.tariffs import expired

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

TARIFF = "tariff"
"""The layer of what a tariff adds to the bytes of a device."""

_PLACE = ("run_id", "group", "stratum")
_BYTES, _COST = "billed_bytes_per_month", "cost_per_year"
_COLUMNS = ("run_id", "stack", "status", _BYTES, _COST, "simulated_s")
_MOST_NAMED = 4
_MOST_FEES = 0.9
"""A larger part of the cost is worth a sentence."""

_NAMES: Mapping[str, str] = {
    "header": "headers",
    "acknowledgement": "acknowledgements",
    "retransmission": "retransmissions",
    "session_set_up": "setting sessions up",
    "session_resumption": "resuming sessions",
    "session_resumption_early": "resuming sessions with early data",
    "certificates": "certificates",
    "authorisation": "passwords and tokens",
    "post_quantum_share": "post-quantum key shares",
    "address_validation": "address validation",
    "session_tear_down": "closing sessions",
    "keep_alive": "keep-alives",
    "padding": "padding",
    "path_probe": "path probes",
    "opaque": "bytes that hide their cause",
    "rounding": "rounding by the tariff",
    "packet_overhead": "bytes that the tariff adds to each packet",
}
_BESIDE = {"cloud": "messages of the cloud", "fee": "fees", "minutes": "minutes of sessions"}
_REMEDIES: Mapping[str, str] = {
    "header": "put several readings in one message",
    "acknowledgement": "put several readings in one message, or use a stack with fewer answers",
    "retransmission": "write longer timeouts, such as ack_timeout",
    "session_set_up": "keep sessions open, or resume them",
    "session_resumption": "keep sessions open for longer",
    "certificates": "use a pre-shared key, or keep sessions open",
    "authorisation": "keep sessions open",
    "post_quantum_share": "keep sessions open, or use another key share",
    "keep_alive": "write a longer keep_alive",
    "rounding": "send less often, or keep the data session open",
    "packet_overhead": "send fewer and larger packets",
}


@dataclass(frozen=True, slots=True)
class BillPart:
    """One cause in the bill of a stack, the mean of a SIM.

    Parameters
    ----------
    bytes_per_month
        Billed bytes.
    share
        Of all billed bytes.
    cost_per_year
        In the currency of the tariff.
    """

    cause: str
    bytes_per_month: float
    share: float
    cost_per_year: float

    @property
    def name(self) -> str:
        """The cause as a person calls it."""
        return _NAMES.get(self.cause, self.cause.replace("_", " "))


@dataclass(frozen=True, slots=True)
class StackBill:
    """The bill of a SIM that speaks a stack, the mean over runs and devices.

    Parameters
    ----------
    parts
        By cause, the largest first.
    fees
        What is paid in a year whatever is sent.
    beside
        What is paid in a year for other things than bytes, by name.
    """

    stack: str
    bytes_per_month: float
    cost_per_year: float
    fees: float
    parts: tuple[BillPart, ...]
    beside: tuple[tuple[str, float], ...] = ()

    @property
    def dearest(self) -> BillPart | None:
        """The cause with the most billed bytes."""
        return self.parts[0] if self.parts else None

    def part(self, cause: str) -> float:
        """Give the share of a cause among billed bytes."""
        return next((one.share for one in self.parts if one.cause == cause), 0.0)


def bills_of(folders: Iterable[Path]) -> tuple[StackBill, ...]:
    """Give the bill by stack of the completed runs of some folders; empty without a tariff."""
    rows = [rows for folder in folders if (rows := _rows(folder)) is not None]
    if not rows:
        return ()
    table = pl.concat(rows)
    return tuple(
        _bill(stack, table.filter(stack=stack))
        for stack in table["stack"].unique(maintain_order=True)
    )


def bill_sentences(
    folders: Iterable[Path], study: Mapping[str, Any], *, today: dt.date | None = None
) -> Iterable[str]:
    """Explain the bill: the currency, what is extrapolated, old prices and dear causes."""
    tariffs: Sequence[Mapping[str, Any]] = study.get("tariffs") or ()
    bills = bills_of(folders) if tariffs else ()
    if not bills:
        return
    currency = tariffs[0]["currency"]
    yield (
        f"costs are those of one SIM, in {currency}. A month has 30.4375 days. Its bytes are "
        "extrapolated from the run after the set-up of each device; the set-up is paid once"
    )
    now = today or dt.datetime.now(dt.UTC).date()
    for tariff in tariffs:
        if expired(tariff, now):
            source = f" from {tariff['source']}" if tariff["source"] else ""
            yield (
                f"check the price: {tariff['words']}{source} was trusted until {tariff['expires']}"
            )
    yield from _dear_causes(bills, currency)


def _dear_causes(bills: Sequence[StackBill], currency: str) -> Iterable[str]:
    told = 0
    for bill in sorted(bills, key=lambda bill: -bill.bytes_per_month):
        dearest = bill.dearest
        if dearest is None or dearest.cause == "payload":
            continue
        if told == _MOST_NAMED:
            yield "further stacks, too, are billed most for other bytes than payload: see bills"
            break
        told += 1
        remedy = _REMEDIES.get(dearest.cause)
        cost = f" ({dearest.cost_per_year:.2f} {currency} a year)"
        yield (
            f"the data bill of {bill.stack} is mostly {dearest.name}: {dearest.share:.0%} of "
            f"{format_quantity(bill.bytes_per_month, 'B')} a month{cost}; payload is "
            f"{bill.part('payload'):.1%}" + (f"; {remedy}" if remedy else "")
        )
    fees = [bill for bill in bills if bill.fees > _MOST_FEES * bill.cost_per_year > 0]
    if len(fees) == len(bills):
        least = min(bill.fees / bill.cost_per_year for bill in bills)
        yield f"at least {least:.0%} of the cost of each SIM are fees, which no stack changes"


def _rows(folder: Path) -> pl.DataFrame | None:
    """Give the rows of the bill of a folder with stacks and how much each stands for."""
    runs = completed_runs(folder, _COLUMNS, having=_COST)
    files = [folder / f"{name}.parquet" for name in ("bills", "groups")]
    if runs is None or runs.is_empty() or not all(file.exists() for file in files):
        return None
    bills, groups = map(pl.read_parquet, files)
    weights = (
        groups.with_columns(pl.col("stratum").fill_null(""))
        .group_by(_PLACE)
        .agg(real=(pl.col("weight") * pl.col("devices")).max())
    )
    return (
        bills.with_columns(pl.col("stratum").fill_null(""))
        .join(weights, on=_PLACE)
        .join(runs.select("run_id", "stack"), on="run_id", maintain_order="right")
    )


def _bill(stack: str, rows: pl.DataFrame) -> StackBill:
    devices = rows.unique([*_PLACE])["real"].sum()
    weighted = rows.group_by("layer", "cause").agg(
        (pl.col(_BYTES) * pl.col("real")).sum() / devices,
        (pl.col(_COST) * pl.col("real")).sum() / devices,
    )
    by_cause = weighted.group_by("cause").agg(pl.col(_BYTES).sum(), pl.col(_COST).sum())
    total = float(by_cause[_BYTES].sum())
    parts = [
        BillPart(row["cause"], row[_BYTES], row[_BYTES] / total, row[_COST])
        for row in by_cause.sort(_BYTES, "cause", descending=[True, False]).to_dicts()
        if row[_BYTES] > 0
    ]
    fees = float(weighted.filter(layer=TARIFF, cause="fee")[_COST].sum())
    of_tariff = weighted.filter(pl.col("layer") == TARIFF, pl.col(_BYTES) == 0).sort("cause")
    beside = [
        (_BESIDE[row["cause"]], row[_COST])
        for row in of_tariff.to_dicts()
        if row["cause"] in _BESIDE
    ]
    cost = float(weighted[_COST].sum())
    return StackBill(stack, total, cost, fees, tuple(parts), tuple(beside))

"""The bill of a capture: what its bytes cost in a month and in a year, by cause."""

# ruff: noqa: PLC0415  (imported when needed: the command must start at once)

import datetime as dt
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from lasthop.cli.output import say, show
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from lasthop.study.fleet.tariff import TariffForm

_MOST_SIMS = 10


def read_tariff(text: str, *, option: str = "--tariff") -> "TariffForm":
    """Read the name of a tariff, or one in the words of a study.

    Raises
    ------
    UsageError
        It is no tariff, or one that a capture cannot tell.
    """
    from lasthop.study.fleet import tariff_text

    form = tariff_text.read_tariff(text, option=option)
    if form.cloud is not None:
        raise UsageError(
            f"{option}: a capture does not show what a cloud counts; remove cloud, or write the "
            "tariff in a study"
        )
    return form


def spec_of(tariff: "TariffForm") -> str:
    """Give the part of the run spec, as JSON."""
    from lasthop.study.fleet.tariff import tariff_spec

    return json.dumps(tariff_spec(tariff))


def plain_bill(bill: Mapping[str, Any], tariff: "TariffForm", *, span_s: float) -> dict[str, Any]:
    """Give the bill as plain values, with the cost of each cause."""
    return {
        "tariff": tariff.words(),
        "currency": tariff.currency,
        "source": tariff.source,
        "expires": tariff.expires,
        "extrapolated_from_s": span_s,
        "by_cause": [
            {"cause": cause, "billed_bytes_per_month": amount, "cost_per_year": cost}
            for cause, amount, cost in _parts(bill)
        ],
        "fees_per_year": sum(sim["fees_per_year"] for sim in bill["sims"]),
        "cost_per_year": sum(sim["cost_per_year"] for sim in bill["sims"]),
        "sims": bill["sims"],
    }


def show_bill(bill: Mapping[str, Any], tariff: "TariffForm", *, span_s: float) -> None:
    """Print the bill of a month by cause, and the cost of each SIM."""
    from lasthop.answer.quantities import format_quantity

    say()
    for line in _head(bill, tariff, span_s=span_s):
        say(line)
    if not bill["sims"]:
        return
    say()
    table = _table(("cause",), ("bytes a month", "share", f"{tariff.currency} a year"))
    parts = list(_parts(bill))
    total = sum(amount for _, amount, _ in parts)
    for cause, amount, cost in parts:
        share = f"{100 * amount / total:.1f} %" if total else ""
        table.add_row(Text(cause), format_quantity(amount, "B"), share, f"{cost:.4f}")
    fees = sum(sim["fees_per_year"] for sim in bill["sims"])
    if fees:
        table.add_row(Text("fees"), "", "", f"{fees:.4f}")
    show(table)
    say()
    sims = _table(("SIM",), ("bytes a month", "billed", "once", f"{tariff.currency} a year"))
    for sim in bill["sims"][:_MOST_SIMS]:
        names = ("bytes_per_month", "billed_bytes_per_month", "billed_bytes_set_up")
        amounts = (format_quantity(sim[name], "B") for name in names)
        sims.add_row(Text(sim["address"]), *amounts, f"{sim['cost_per_year']:.4f}")
    show(sims)
    if len(bill["sims"]) > _MOST_SIMS:
        say(f"and {len(bill['sims']) - _MOST_SIMS} more SIMs; --json lists all")


def _head(bill: Mapping[str, Any], tariff: "TariffForm", *, span_s: float) -> Iterator[str]:
    from lasthop.answer.quantities import format_quantity
    from lasthop.study.plan.tariffs import expired

    sims = len(bill["sims"])
    each = "1 SIM" if sims == 1 else f"{sims} SIMs"
    yield f"bill by {tariff.words()}: {each}, one for each address that opens conversations"
    if tariff.source:
        yield f"prices: {tariff.source}"
    if expired({"expires": tariff.expires}, dt.datetime.now(dt.UTC).date()):
        yield f"check the price: it was trusted until {tariff.expires}"
    if sims:
        span = format_quantity(1000 * span_s, "ms")
        yield (
            f"a month (30.4375 days) is extrapolated from {span}; the first handshake of a SIM "
            "counts once"
        )


def _parts(bill: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Give each cause with its bytes of a month and its cost of a year, the largest first."""
    amounts = Counter[str]()
    for row in bill["by_cause"]:
        amounts[row["cause"]] += row["billed_bytes_per_month"]
    amounts["packet_overhead"] += bill["packet_overhead_bytes_per_month"]
    amounts["rounding"] += bill["rounding_bytes_per_month"]
    total = amounts.total()
    cost = sum(sim["data_cost_per_year"] for sim in bill["sims"])
    for cause, amount in amounts.most_common():
        if amount > 0:
            yield cause, amount, cost * amount / total


def _table(texts: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in texts:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table

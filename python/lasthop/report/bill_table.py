"""The data bill of a SIM in numbers: bytes of a month and money of a year by cause."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lasthop.answer.bills import StackBill, bills_of
from lasthop.answer.quantities import format_quantity
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Styles, bold, stack_name, table
from lasthop.report.section import Section
from lasthop.report.source import ReportSource
from lasthop.report.templating import render

_LEAST = 0.005
"""Causes with a smaller share of the billed bytes are added up in one row."""


def bill_section(source: ReportSource, styles: Styles) -> Section | None:
    """Write a row for each cause in the bill of each stack; nothing without a tariff."""
    tariffs: Sequence[Mapping[str, Any]] = source.study.get("tariffs") or ()
    bills = bills_of(source.paths) if tariffs else ()
    if not bills:
        return None
    currency = tariffs[0]["currency"]
    reading = (
        "One SIM, the mean of all devices with a tariff, all points and all repetitions. A month "
        "has 30.4375 days and is extrapolated from the run after the set-up of each device. The "
        "set-up is paid once and is a part of the cost of its first year. Prices: "
        + "; ".join(f"{one['words']} ({one['source'] or 'of the study'})" for one in tariffs)
        + "."
    )
    head = ["Stack", "Cause", "Billed a month", "Share", f"{currency} a year"]
    rows = [row for bill in bills for row in _rows(bill, styles)]
    body = render("told_table.html", reading=reading, table=table(head, rows, numeric=(2, 3, 4)))
    return Section("bill", "Data bill of a SIM", f"{currency} a year by cause", body)


def _rows(bill: StackBill, styles: Styles) -> Iterator[list[object]]:
    yield [
        stack_name(bill.stack, styles),
        bold("All"),
        bold(format_quantity(bill.bytes_per_month, "B")),
        "",
        bold(f"{bill.cost_per_year:.2f}"),
    ]
    small = [part for part in bill.parts if part.share < _LEAST]
    for part in bill.parts:
        if part.share >= _LEAST:
            amount = format_quantity(part.bytes_per_month, "B")
            yield [
                "",
                sentence_case(part.name),
                amount,
                f"{part.share:.1%}",
                _cost(part.cost_per_year),
            ]
    if small:
        amount = format_quantity(sum(part.bytes_per_month for part in small), "B")
        share = sum(part.share for part in small)
        cost = sum(part.cost_per_year for part in small)
        yield ["", _further(len(small)), amount, f"{share:.1%}", _cost(cost)]
    for name, cost in bill.beside:
        yield ["", sentence_case(name), "", "", _cost(cost)]


def _further(causes: int) -> str:
    return "1 further cause" if causes == 1 else f"{causes} further causes"


def _cost(amount: float) -> str:
    return f"{amount:.4f}"

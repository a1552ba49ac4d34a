"""A multiverse, drawn for a terminal."""

from rich.table import Table
from rich.text import Text

from lasthop.cli.output import say, show
from lasthop.multiverse.words import (
    Document,
    by_value,
    change,
    holds,
    ours_across,
    ours_in,
    share,
    summary,
)


def show_multiverse(document: Document) -> None:
    """Print under how many readings each claim holds, and the effect of each choice."""
    show(Text(f"{summary(document)}.", style="bold"))
    for claim in document["claims"]:
        say()
        say(f"{claim['id']}: {claim['what']}, published {claim['published']}")
        say(f"holds in {holds(claim)} of the readings; ours {ours_across(claim)}")
        show(_choices(claim))
        say()
        show(_changes(claim))
    say()
    for each in document["not_judged"]:
        say(f"{each['id']} is not judged here: {each['reason']}")
    say()


def _choices(claim: Document) -> Table:
    table = _table("choice", "weight", "holds in")
    for each in claim["choices"]:
        decides = each["choice"] == claim["decided_by"]
        table.add_row(
            Text(each["choice"]),
            share(each["weight"]),
            Text(by_value(each["values"])),
            style="green" if decides else "",
        )
    return table


def _changes(claim: Document) -> Table:
    table = _table("one change", "ours", "interval", "verdict")
    for each in (claim["first"], *claim["one_change"]):
        table.add_row(Text(change(each)), *ours_in(claim, each), each["verdict"])
    return table


def _table(*names: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in names:
        number = name in {"weight", "ours", "interval"}
        table.add_column(name, justify="right" if number else "left", no_wrap=number)
    return table

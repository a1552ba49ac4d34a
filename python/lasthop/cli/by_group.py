"""Results of each stack for each group and stratum, in the terminal."""

from collections.abc import Sequence
from typing import Literal

from rich.table import Table
from rich.text import Text

from lasthop.answer.decision import Outcome
from lasthop.cli.output import WIDTH_FOR_VERDICTS, output_width, say, show
from lasthop.outcome.answer_columns import answer_columns
from lasthop.outcome.short_answer import AnswerPlace

_MOST_ROWS = 20
_LEFT_OUT = {"", "bytes a run"}


def show_by_group(
    places: Sequence[AnswerPlace], aim: str | None, required: Sequence[str] = ()
) -> None:
    """Write a table of at most 20 rows, without ranks if nothing is ranked."""
    if not places:
        return
    ranked = any(place.outcome != Outcome.NOT_ASKED.value for place in places)
    rows = (row for place in places for row in place.rows)
    columns = answer_columns(rows, aim if ranked else None, required if ranked else ())
    shown = [column for column in columns if column.heading not in _LEFT_OUT]
    wide = ranked and output_width() >= WIDTH_FOR_VERDICTS
    shown = shown if wide else [one for one in shown if one.is_number or one.heading == "stack"]
    name = " and ".join(places[0].place)
    say(f"\nby {name}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    for column in shown:
        justify: Literal["right", "left"] = "right" if column.is_number else "left"
        table.add_column(column.heading, justify=justify, no_wrap=column.is_number)
    first = _first(places)
    for place in first:
        for number, row in enumerate(place.rows):
            where = _label(place) if number == 0 else ""
            style = "dim" if row.excluded else "green" if row.verdict == "best" else ""
            table.add_row(*map(Text, (where, *(one.write(row) for one in shown))), style=style)
    show(table)
    if len(places) > len(first):
        say(f"and {len(places) - len(first)} more in the report")


def _first(places: Sequence[AnswerPlace]) -> list[AnswerPlace]:
    """Return the places that fit; those that differ from the fleet come first."""
    first: list[AnswerPlace] = []
    rows = 0
    for place in sorted(places, key=lambda place: not place.differs):
        rows += len(place.rows)
        if first and rows > _MOST_ROWS:
            break
        first.append(place)
    return [place for place in places if place in first]


def _label(place: AnswerPlace) -> str:
    """Name a place without the word that stands above, where it is that word alone."""
    ((name, value),) = place.place.items() if len(place.place) == 1 else (("", ""),)
    return value if place.label == f"{name} {value}" else place.label

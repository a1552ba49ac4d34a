"""What each stack did for each group and stratum, drawn for a terminal."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from lasthop.cli.output import WIDTH_FOR_VERDICTS, output_width, say, show
from lasthop.outcome.short_answer import AnswerPlace

_MOST_PLACES = 24
_SHOWN = ("stack", "delivery", "p50", "p95", "battery", "verdict")
_TEXTS = {"", "stack", "verdict"}


def show_by_group(places: Sequence[AnswerPlace]) -> None:
    """Write a table, up to a screenful; nothing without places."""
    if not places:
        return
    wide = output_width() >= WIDTH_FOR_VERDICTS
    lives = any(row.battery_years is not None for place in places for row in place.rows)
    left_out = {*(() if wide else ("verdict",)), *(() if lives else ("battery",))}
    shown = [heading for heading in _SHOWN if heading not in left_out]
    name = " and ".join(places[0].place)
    say(f"\nby {name}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("", *shown):
        is_number = heading not in _TEXTS
        table.add_column(heading, justify="right" if is_number else "left", no_wrap=is_number)
    for place in places[:_MOST_PLACES]:
        for number, row in enumerate(place.rows):
            where = _label(place) if number == 0 else ""
            style = "dim" if row.excluded else "green" if row.verdict == "best" else ""
            table.add_row(*map(Text, (where, *row.cells(shown))), style=style)
    show(table)
    if len(places) > _MOST_PLACES:
        say(f"and {len(places) - _MOST_PLACES} more in the report")


def _label(place: AnswerPlace) -> str:
    """Name a place without the word that stands above, where it is that word alone."""
    ((name, value),) = place.place.items() if len(place.place) == 1 else (("", ""),)
    return value if place.label == f"{name} {value}" else place.label

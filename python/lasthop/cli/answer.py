"""The short answer, drawn for a terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rich.table import Table
from rich.text import Text

from lasthop.answer.answer_parts import AnswerSetting
from lasthop.cli.by_group import show_by_group
from lasthop.cli.output import WIDTH_FOR_VERDICTS, output_width, say, show
from lasthop.outcome.answer_columns import AnswerColumn
from lasthop.outcome.answer_row import AnswerRow
from lasthop.outcome.short_answer import ShortAnswer

_MOST_POINTS = 12
_MOST_SETTINGS = 8


def show_answer(answer: ShortAnswer) -> None:
    """Write the answer and a table for each point, up to a screenful."""
    show(Text(answer.headline, style="bold"))
    for sentence in (*answer.support, *_along_sweeps(answer)):
        say(sentence)
    shown = answer.points[:_MOST_POINTS]
    columns = answer.columns
    rows = [row for point in shown for row in point.rows]
    widths = [
        max(map(len, (column.heading, *map(column.write, rows)))) if column.is_number else None
        for column in columns
    ]
    wide = output_width() >= WIDTH_FOR_VERDICTS
    narrow = columns[: -1 - len(answer.required)]
    for point in shown:
        if len(shown) > 1:  # the sentences above name once what nowhere ran
            ran = tuple(row for row in point.rows if row.delivery_ratio is not None)
            point = replace(point, rows=ran)  # noqa: PLW2901
        say()
        if point.label:
            say(f"{point.label}: {point.headline}")
        show(_table(point.rows, widths, columns if wide else narrow))
        for row in () if wide else point.rows:
            if row.verdict:
                show(Text(f"{row.stack}: {row.verdict}", style=_style(row)))
    if len(answer.points) > len(shown):
        say(f"\nand {len(answer.points) - len(shown)} more points in the report")
    for note in (answer.legend, *answer.notes) if wide and answer.legend else answer.notes:
        say(note)
    show_by_group(answer.by_group, answer.aim, answer.required)
    if answer.settings:
        say("\nsettings that mattered most")
        show(_settings(answer.settings[:_MOST_SETTINGS]))
    told = [
        *(f"caution  {one}" for one in answer.cautions),
        *(f"hint     {one}" for one in answer.hints),
    ]
    say("".join(f"\n{line}" for line in told))


def _along_sweeps(answer: ShortAnswer) -> Iterable[str]:
    for sweep in answer.sweeps:
        if sweep.part != answer.part:  # of that part the sentences before have told it
            yield sweep.words
        yield from (flip.words for flip in sweep.flips)


def _settings(settings: Sequence[AnswerSetting]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    of_stacks = any(setting.stack for setting in settings)
    for setting in settings:
        best_to_worst = f"{setting.best} to {setting.worst}"
        of = (setting.stack or "",) if of_stacks else ()
        cells = (setting.subject, setting.name, *of, best_to_worst, setting.words)
        table.add_row(*map(Text, (*cells, f"in part {setting.part}")))
    return table


def _table(
    rows: Sequence[AnswerRow], widths: Sequence[int | None], columns: Sequence[AnswerColumn]
) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column, width in zip(columns, widths, strict=False):
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            min_width=width,
            no_wrap=column.is_number,
        )
    for row in rows:
        cells = (column.write(row) for column in columns)
        table.add_row(*map(Text, cells), style=_style(row))
    return table


def _style(row: AnswerRow) -> str:
    if row.excluded:
        return "dim"
    return "green" if row.verdict == "best" else ""

"""The opening of the report of a rerun: the claims of the paper, then its figures and tables."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from lasthop.answer.quantities import NOTHING, format_quantity, format_range
from lasthop.claims.judgement import Judgement
from lasthop.claims.words import ours, summary, verdict
from lasthop.report.figures.figure import Figure, sentence_case
from lasthop.report.figures.of_paper import DrawnFigure, figure_name, published_at
from lasthop.report.markup import Row, bold, pill, small, table
from lasthop.report.templating import render
from lasthop.study.figures import PaperFigures

_HEAD = ("Claim", "Published", "Ours", "Verdict", "Why")


def paper_opening(
    paper: PaperFigures,
    drawn: Sequence[DrawnFigure],
    judgements: Sequence[Judgement],
    chart: Callable[[Figure], Markup],
) -> Markup:
    """Write the claims of a paper in a table, and each of its figures below it.

    Parameters
    ----------
    paper : PaperFigures
        The figures as the study has them.
    drawn : sequence of DrawnFigure
        The same with our values.
    judgements : sequence of Judgement
        The claims, held against the runs.
    chart : callable
        Writes a chart.
    """
    return render(
        "paper.html",
        paper=paper.paper,
        summary=summary(judgements) if judgements else "",
        claims=table(_HEAD, [_row(one) for one in judgements], wide=(0, 4)) if judgements else "",
        figures=[_figure(one, chart) for one in drawn],
    )


def _row(judgement: Judgement) -> Row:
    found = verdict(judgement)
    return [
        Markup("{} {}").format(bold(judgement.id), sentence_case(judgement.what)),
        judgement.published,
        bold(ours(judgement)),
        pill(found, found.replace(" ", "-")),
        sentence_case(judgement.why) if judgement.why else judgement.reason,
    ]


def _figure(drawn: DrawnFigure, chart: Callable[[Figure], Markup]) -> dict[str, object]:
    return {
        "name": figure_name(drawn.paper.number),
        "heading": drawn.heading,
        "remarks": drawn.remarks,
        "chart": "" if drawn.figure is None else chart(drawn.figure),
        "table": _table(drawn) if drawn.paper.is_table else "",
    }


def _table(drawn: DrawnFigure) -> Markup | str:
    """Write a row for each arm: ours with its interval, the value of the paper below it."""
    shown = {value.legend for values in drawn.columns for value in values}
    rows: list[Row] = []
    for arm in drawn.paper.arms:
        told = any(
            arm.legend in values
            for column in drawn.paper.columns
            for values in (column.published, column.captured)
        )
        if arm.legend not in shown and not told:
            continue
        rows.append([arm.legend, *(_cell(drawn, place, arm.legend) for place in _places(drawn))])
    head = ["", *(_head(column.title, column.unit) for column in drawn.paper.columns)]
    return table(head, rows, numeric=range(1, len(head))) if rows else ""


def _places(drawn: DrawnFigure) -> range:
    return range(len(drawn.paper.columns))


def _head(title: str, unit: str) -> str:
    return f"{title} ({unit})"


def _cell(drawn: DrawnFigure, place: int, legend: str) -> Markup:
    column = drawn.paper.columns[place]
    value = next((one for one in drawn.columns[place] if one.legend == legend), None)
    mine = Markup("")
    if value is not None:
        found = value.found.interval
        written, spread = format_quantity(found.mean, ""), format_range(found, "")
        mine = bold(written)
        if spread not in (written, NOTHING):
            mine += small(spread)
    for name, values in (("paper", column.published), ("capture", column.captured)):
        told = values.get(legend, {}).get(None) if value is None else published_at(values, value)
        if told is not None:
            mine += small(f"{name}: {told.text.removesuffix(column.unit).strip()}")
    return mine

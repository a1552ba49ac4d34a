"""An overload in a figure: each run by itself with a hollow mark, and dots on the way to them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from lasthop.answer.arms import arms_of
from lasthop.answer.points import Point
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import KEY_SIZE, StackEncoding, tooltip
from lasthop.report.figures.vega_lite import Datum, Field, Layer, Legend, Scale, X, Y
from lasthop.report.themes import INKS

MEANING = "overload: the queue never settles"
READING = (
    " Hollow marks are single runs that are overloaded: their queue grows as long as they last, "
    "so a longer run would show more, and a mean would say nothing."
)
LINE_READING = " Dotted lines lead to the middle one of these runs."
LINE, RUN = "overload-line", "overload-run"
"""The styles in the themes."""

_OVERLOADED = "overload"

Row = dict[str, Any]


def stretches(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Divide the line of each stack, whose rows are in order, at its overloads.

    Returns
    -------
    tuple of list
        The rows of the stretches between steady points, and of those from or to an overload. Each
        row has the name of its stretch; an end that two stretches share is in both.
    """
    steady: list[Row] = []
    unsettled: list[Row] = []
    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(row["stack"], []).append(row)
    for stack, line in lines.items():
        for number, (overloaded, stretch) in enumerate(_alike(line)):
            (unsettled if overloaded else steady).extend(
                row | {"stretch": f"{stack} {number}"} for row in stretch
            )
    return steady, unsettled


def unsettled_lines(
    rows: Sequence[Row], datasets: Datasets, encoding: StackEncoding, *, x: X, y: Y
) -> list[Layer]:
    """Draw the stretches from and to overloads in dots; without a row there is no layer."""
    if not rows:
        return []
    lines = Layer(datasets.add(rows)).marked("line", style=LINE)
    return [lines.encoded(x=x, y=y, color=encoding.colour, detail=Field("stretch:N"))]


def run_marks(
    rows: Sequence[Row], datasets: Datasets, encoding: StackEncoding, *, x: X, y: Y
) -> list[Layer]:
    """Draw a hollow mark for each run; without one there is no layer."""
    if not rows:
        return []
    marks = Layer(datasets.add(rows)).marked("point", style=RUN, filled=False)
    return [
        marks.encoded(
            x=x,
            y=y,
            color=encoding.colour,
            shape=encoding.shape,
            opacity=_key("circle", legend=encoding.legend),
            tooltip=_TOOLTIP,
        )
    ]


def remarks(point: Point, stacks: Sequence[str]) -> dict[str, str]:
    """Give what is said behind the names of the stacks that are overloaded at a point."""
    arms = arms_of(point.rows, stacks)
    return {arm.stack: f": {arm.overload.status}" for arm in arms if arm.overload is not None}


def line_key(*, legend: bool) -> Datum:
    """Return an encoding that gives a line of dots an entry in the legend of an image."""
    return _key("stroke", legend=legend)


def _key(symbol: str, *, legend: bool) -> Datum:
    entry = Legend(
        title=None,
        symbolType=symbol,
        symbolFillColor="transparent",
        symbolStrokeColor=INKS["light"].quiet,
        symbolOpacity=1,
    )
    if symbol == "stroke":
        entry.symbolSize = KEY_SIZE
    scale = Scale(domain=[MEANING], range=[1])
    return Datum(MEANING, scale=scale, legend=entry if legend else None)


def _alike(line: Sequence[Row]) -> Iterator[tuple[bool, list[Row]]]:
    """Give the stretches of a line of which all pieces are steady, or none is."""
    for overloaded, pieces in groupby(pairwise(line), key=_touches_overload):
        (first, second), *others = pieces
        yield overloaded, [first, second, *(end for _, end in others)]


def _touches_overload(piece: tuple[Mapping[str, Any], Mapping[str, Any]]) -> bool:
    return any(end[_OVERLOADED] for end in piece)


_TOOLTIP = [
    *tooltip(value="this run", interval="all runs"),
    Field("remark:N", title="overload"),
]

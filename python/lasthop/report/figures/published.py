"""Published figures to be drawn beside ours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lasthop.claims.judgement import Finding, Judgement
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import StackEncoding
from lasthop.report.figures.vega_lite import Field, Layer, X, Y
from lasthop.study.claims.measurand import measurand

_LENGTH, _AWAY, _ARROW, _DIAMOND = 26, 10, 130, 110
"""Of a bar, of the arrow beside it, and of what a capture says."""

Side = Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class PublishedMark:
    """A published figure about a column, at a point, of a stack.

    Parameters
    ----------
    column : str
        As in ``runs.parquet``.
    value : float
        The published value, or the bound of a threshold.
    text : str
        The claim with its figure, for a tooltip.
    side : "above", "below" or None
        On which side of a bound the claim has it; None of a value.
    x : float or None
        Its place along the axis of lines, where it is drawn without one of ours, too.
    is_captured : bool
        Whether it is of a capture of the authors, and not of their text.
    """

    part: str
    column: str
    stack: str
    point: str
    value: float
    text: str
    side: Side | None
    x: float | None = None
    is_captured: bool = False


def published_marks(judgements: Sequence[Judgement]) -> tuple[PublishedMark, ...]:
    """Find what can be drawn: published levels of measured columns."""
    return tuple(
        mark
        for judgement in judgements
        for finding in judgement.findings
        if (mark := _mark(judgement, finding)) is not None
    )


def published_rows(
    rows: Sequence[dict[str, Any]], published: Sequence[PublishedMark], *, factor: float
) -> list[dict[str, Any]]:
    """Return a row for each published figure at a place where a chart has one of ours."""
    there = {(row["stack"], row["point"]) for row in rows}
    alone = [
        {"stack": mark.stack, "point": mark.point, "x": mark.x} | _told(mark, factor)
        for mark in published
        if mark.x is not None and (mark.stack, mark.point) not in there
    ]
    return alone + [
        row | _told(mark, factor)
        for row in rows
        for mark in published
        if (mark.stack, mark.point) == (row["stack"], row["point"])
    ]


def _told(mark: PublishedMark, factor: float) -> dict[str, Any]:
    return {
        "published": mark.value * factor,
        "claim": mark.text,
        "side": mark.side,
        "captured": mark.is_captured,
    }


def published_layers(
    rows: Sequence[dict[str, Any]],
    datasets: Datasets,
    encoding: StackEncoding,
    *,
    x: X,
    y: Y,
) -> list[Layer]:
    """Draw a short bar for each row, and an arrow from a bound to where the claim has the value.

    What a capture says is a hollow diamond. A layer without a row would have no extent.
    """
    upright = y.field == "published"
    across: Literal["horizontal", "vertical"] = "horizontal" if upright else "vertical"
    layers = []
    if told := [row for row in rows if not row["captured"]]:
        ticks = Layer(datasets.add(told)).marked("tick", size=_LENGTH, thickness=3, orient=across)
        layers.append(ticks.encoded(x=x, y=y, color=encoding.colour, tooltip=_TOOLTIP))
    if captured := [row for row in rows if row["captured"]]:
        diamonds = Layer(datasets.add(captured)).marked(
            "point", shape="diamond", filled=False, size=_DIAMOND, strokeWidth=2
        )
        layers.append(diamonds.encoded(x=x, y=y, color=encoding.colour, tooltip=_TOOLTIP))
    for side, sign in (("above", 1), ("below", -1)):
        of_side = [row for row in rows if row["side"] == side]
        if of_side:
            arrows = Layer(datasets.add(of_side)).marked(
                "point",
                shape="arrow",
                angle=(0 if upright else 90) + (0 if sign > 0 else 180),
                size=_ARROW,
                xOffset=0 if upright else sign * _AWAY,
                yOffset=-sign * _AWAY if upright else 0,
            )
            layers.append(arrows.encoded(x=x, y=y, color=encoding.colour, tooltip=_TOOLTIP))
    return layers


_TOOLTIP = [
    Field("stack:N", title="stack"),
    Field("point:N", title="at"),
    Field("claim:N", title="published"),
]


def _mark(judgement: Judgement, finding: Finding) -> PublishedMark | None:
    about = measurand(finding.measurand)
    if finding.statistic != "level" or finding.ours is None or len(about.columns) != 1:
        return None
    finite = [end for end in (finding.low, finding.high) if math.isfinite(end)]
    value = math.fsum(finite) / len(finite)
    bounded = len(finite) == 1
    rises = math.isfinite(finding.low) != about.is_complement
    side: Side = "above" if rises else "below"
    return PublishedMark(
        part=finding.part,
        column=about.columns[0],
        stack=finding.stack,
        point=finding.point,
        value=about.in_column(value),
        text=f"{judgement.id}: {finding.published}",
        side=side if bounded else None,
    )

"""A measured column along a sweep: a line a stack with its interval, or dots."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from lasthop.report.columns import Column
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import (
    Measure,
    StackEncoding,
    number_axis,
    value_scale,
)
from lasthop.report.figures.figure import Figure, Panel, sentence_case, titled
from lasthop.report.figures.flip_marks import FlipMark, mark_layers
from lasthop.report.figures.published import PublishedMark, published_layers, published_rows
from lasthop.report.points import Point, Swept, points_of, varied
from lasthop.report.quantities import format_quantity, format_range
from lasthop.report.series import Measured, describe_intervals, measured
from lasthop.report.source import ReportSource

_HEIGHT = 260
_ROW_HEIGHT = 48
_UNREACHED = "\N{BLACK UP-POINTING TRIANGLE}"
_MOST_PANELS = 12
_LOAD = "/s"


@dataclass(frozen=True, slots=True)
class SweepFigure:
    """What a figure along a sweep is about; the same for every part of a study.

    Parameters
    ----------
    name : str
        The first word of the figure's name; the part is the rest.
    title : str
        Of the figure, without the part.
    columns : tuple of Column
        A panel for each.
    from_zero : bool
        Whether the axis of values starts at zero.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    from_zero: bool

    def build(
        self,
        source: ReportSource,
        part: Mapping[str, Any],
        *,
        published: Sequence[PublishedMark],
        marks: Sequence[FlipMark],
        legend: bool,
    ) -> Figure:
        """Draw the figure for one part, with its flips and with what was published about it."""
        points, stacks = points_of(source.runs, part), source.stacks
        axis, groups = _axis_and_groups(varied(source.runs, part), points)
        encoding = StackEncoding(stacks, _stacks_that_ran(points, stacks), legend=legend)
        panels, intervals = [], []
        any_published = marked = False
        for column in self.columns:
            if column.name not in source.runs.columns:
                continue
            series = measured(points, stacks, column)
            own_marks = [mark for mark in marks if mark.column == column.name]
            marked = marked or bool(own_marks)
            intervals += [found.value for found in series]
            about = [
                mark
                for mark in published
                if (mark.part, mark.column) == (part["name"], column.name)
            ]
            any_published |= bool(about)
            frame = _Frame.around(series, column, about, from_zero=self.from_zero)
            for label, members in groups[: max(1, _MOST_PANELS // len(self.columns))]:
                here = {point.values for point in members}
                drawn = [found for found in series if found.point.values in here]
                rows = _rows(drawn, column, frame)
                title = ", ".join(filter(None, (sentence_case(column.label), label)))
                panels.append(
                    _dots(title, rows, frame, encoding, about)
                    if axis is None
                    else _lines(title, rows, (axis, frame), encoding, (about, own_marks))
                )
        return Figure(
            name=f"{self.name}-{part['name']}",
            title=titled(self.title, part, source.study),
            reading=_reading(
                axis,
                unreached=any(math.isinf(value.mean) for value in intervals),
                marked=marked and axis is not None,
                hidden=max(0, len(groups) * len(self.columns) - len(panels)),
                published=any_published,
            ),
            dataset="runs.parquet",
            runs=sum(point.rows.filter(pl.col("status") == "completed").height for point in points),
            interval=describe_intervals(intervals),
            panels=tuple(panels),
            legend="stacks",
            legend_entries=encoding.shown,
        )


@dataclass(frozen=True, slots=True)
class _Axis:
    """The swept parameter along which the lines run."""

    measure: Measure
    place: int
    scale: alt.Scale
    ticks: Sequence[float]

    @classmethod
    def along(cls, swept: Swept, place: int, points: Sequence[Point]) -> "_Axis":
        values = [point.values[place] for point in points]
        measure = Measure.of(swept.label, swept.unit, values)
        positions = sorted({value * measure.factor for value in values})
        # A load has a zero, and what happens at each of its values is looked for.
        is_load = swept.unit == _LOAD
        scale, ticks = value_scale(positions, from_zero=positions[0] <= 0 or is_load)
        scale.padding = 12
        return cls(measure, place, scale, positions if is_load else ticks or positions)

    def encoding(self, field: str = "x:Q") -> alt.X:
        return alt.X(
            field, title=self.measure.title, scale=self.scale, axis=number_axis(self.ticks)
        )


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axis of values, the same in all panels of a column."""

    measure: Measure
    scale: alt.Scale
    ticks: Sequence[float] | None

    @classmethod
    def around(
        cls,
        series: Sequence[Measured],
        column: Column,
        published: Iterable[PublishedMark],
        *,
        from_zero: bool,
    ) -> "_Frame":
        ends = [end for found in series for end in (found.value.low, found.value.high)]
        ends += [mark.value for mark in published]
        measure = Measure.of(column.label, column.unit, ends)
        scale, ticks = value_scale([end * measure.factor for end in ends], from_zero=from_zero)
        if column.unit == "fraction":
            # A share has a largest value, and is never drawn logarithmically.
            scale, ticks = alt.Scale(zero=False, nice=True), None
            if from_zero:
                scale.domain = [0, 100]
        return cls(measure, scale, ticks)


def _rows(
    series: Sequence[Measured],
    column: Column,
    frame: _Frame,
) -> list[dict[str, Any]]:
    factor = frame.measure.factor
    return [
        {
            "stack": found.stack,
            "point": found.point.label,
            "values": found.point.values,
            "value": format_quantity(found.value.mean, column.unit, missing=column.missing),
            "interval": format_range(found.value, column.unit, missing=column.missing),
            "runs": found.value.repetitions,
            "mean": _finite(found.value.mean * factor),
            "low": _finite(found.value.low * factor),
            "high": _finite(found.value.high * factor),
        }
        for found in series
    ]


def _lines(
    title: str,
    measured_rows: Sequence[dict[str, Any]],
    axes: tuple[_Axis, _Frame],
    encoding: StackEncoding,
    marks: tuple[Sequence[PublishedMark], Sequence[FlipMark]],
) -> Panel:
    axis, frame = axes
    published, flipped = marks
    datasets = Datasets()
    rows = [
        row | {"values": None, "x": row["values"][axis.place] * axis.measure.factor}
        for row in measured_rows
    ]
    x = axis.encoding()
    y = alt.Y("mean:Q", title=frame.measure.title, scale=frame.scale, axis=number_axis(frame.ticks))
    reached = alt.Chart(datasets.add([row for row in rows if row["mean"] is not None]))
    band = reached.mark_area(opacity=0.16).encode(
        x=x, y=alt.Y("low:Q", scale=frame.scale), y2="high:Q", color=encoding.colour
    )
    line = reached.mark_line().encode(x=x, y=y, color=encoding.colour, strokeDash=encoding.dash)
    points = reached.mark_point().encode(
        x=x, y=y, color=encoding.colour, shape=encoding.shape, tooltip=_tooltip()
    )
    claimed = published_rows(rows, published, factor=frame.measure.factor)
    bars = published_layers(
        claimed, datasets, encoding, x=x, y=alt.Y("published:Q", scale=frame.scale)
    )
    unreached = [
        alt.Chart(datasets.add(members))
        .mark_text(text=_UNREACHED, fontSize=14, baseline="top", dx=-14 * place)
        .encode(x=x, y=alt.value(-2), color=encoding.colour, tooltip=_tooltip())
        for place, members in enumerate(_side_by_side(rows))
    ]
    flips = mark_layers(flipped, datasets, axis.encoding, factor=axis.measure.factor)
    layers = [*flips, band, line, points, *bars, *unreached]
    chart = alt.LayerChart(layer=layers, height=_HEIGHT)
    return Panel(title, chart, datasets)


def _side_by_side(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return what was not reached, in rounds: a round has one stack at each position."""
    rounds: list[list[dict[str, Any]]] = []
    taken: Counter[float] = Counter()
    for row in rows:
        if row["mean"] is None:
            place = taken[row["x"]]
            taken[row["x"]] += 1
            rounds += [[]] if place == len(rounds) else []
            rounds[place].append(row)
    return rounds


def _dots(
    title: str,
    measured_rows: Sequence[dict[str, Any]],
    frame: _Frame,
    encoding: StackEncoding,
    published: Sequence[PublishedMark],
) -> Panel:
    datasets = Datasets()
    rows = [row | {"values": None, "row": _row_name(row)} for row in measured_rows]
    x = alt.X("mean:Q", title=frame.measure.title, scale=frame.scale, axis=number_axis(frame.ticks))
    frame.scale.padding = 10
    names = list(dict.fromkeys(row["row"] for row in rows))
    y = alt.Y("row:N", title=None, axis=None, scale=alt.Scale(domain=names))
    everything = alt.Chart(datasets.add(rows))
    # The name stands above its dot, where a long one has room on a phone too.
    name = everything.mark_text(align="left", dy=-15, fontSize=12).encode(
        x=alt.value(0), y=y, text="row:N"
    )
    reached = alt.Chart(datasets.add([row for row in rows if row["mean"] is not None]))
    rule = reached.mark_rule().encode(
        x=alt.X("low:Q", scale=frame.scale), x2="high:Q", y=y, color=encoding.colour
    )
    dot = reached.mark_point(size=80).encode(
        x=x, y=y, color=encoding.colour, shape=encoding.shape, tooltip=_tooltip()
    )
    claimed = published_rows(rows, published, factor=frame.measure.factor)
    bars = published_layers(
        claimed, datasets, encoding, x=alt.X("published:Q", scale=frame.scale), y=y
    )
    missing = (
        alt.Chart(datasets.add([row for row in rows if row["mean"] is None]))
        .mark_text(align="left", dx=4, dy=3)
        .encode(x=alt.value(0), y=y, text="value:N", tooltip=_tooltip())
    )
    height = _ROW_HEIGHT * max(1, len(names))
    chart = alt.LayerChart(layer=[name, rule, dot, *bars, missing], height=height)
    return Panel(title, chart, datasets)


def _row_name(row: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, (row["stack"], row["point"])))


def _axis_and_groups(
    swept: Sequence[Swept], points: Sequence[Point]
) -> tuple[_Axis | None, list[tuple[str, list[Point]]]]:
    """Choose the longest numeric axis; the points that share all other values are a group."""
    lengths = {
        place: len({point.values[place] for point in points})
        for place in range(len(swept))
        if points and all(_is_number(point.values[place]) for point in points)
    }
    place = max(lengths, key=lambda at: (lengths[at], -at), default=None)
    if place is None or lengths[place] < 2:  # noqa: PLR2004  (a line needs two points)
        return None, [("", list(points))]
    groups: dict[tuple[Any, ...], list[Point]] = {}
    for point in points:
        groups.setdefault(_without(point.values, place), []).append(point)
    labelled = [
        (", ".join(map(" ".join, _without(members[0].named, place))), members)
        for members in groups.values()
    ]
    return _Axis.along(swept[place], place, points), labelled


def _without(values: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*values[:place], *values[place + 1 :])


def _reading(
    axis: _Axis | None, *, unreached: bool, published: bool, marked: bool, hidden: int
) -> str:
    text = "A dot is the mean of the repetitions, the line through it its interval."
    if axis is not None:
        text = "A line is the mean of the repetitions, the band its interval."
        if unreached:
            text += " A triangle at the upper edge: not reached, too few messages arrived."
    if published:
        text += " A short bar is the published value, or the published bound."
    if marked:
        text += " A dashed rule marks where another stack takes the lead, grey how well we know."
    return text + (f" {hidden} more panels are left out." if hidden else "")


def _stacks_that_ran(points: Sequence[Point], stacks: Sequence[str]) -> tuple[str, ...]:
    ran = {
        stack
        for point in points
        for stack in point.rows.filter(pl.col("status") == "completed")["stack"]
    }
    return tuple(stack for stack in stacks if stack in ran)


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("stack:N", title="stack"),
        alt.Tooltip("point:N", title="at"),
        alt.Tooltip("value:N", title="mean"),
        alt.Tooltip("interval:N", title="interval"),
        alt.Tooltip("runs:Q", title="repetitions"),
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

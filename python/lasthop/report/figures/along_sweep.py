"""A measured column along a sweep: a line a stack with its interval, or dots."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.points import Point, Swept, points_of, varied
from lasthop.answer.quantities import format_quantity
from lasthop.answer.requirement_words import in_words
from lasthop.measures import Measure
from lasthop.report.figures import one_line, overload
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.encodings import StackEncoding
from lasthop.report.figures.figure import Figure, Panel, sentence_case, titled
from lasthop.report.figures.sweep_axes import SweepAxis, ValueAxis
from lasthop.report.figures.sweep_panels import SweepPanels
from lasthop.report.series import Measured, describe_series, measured
from lasthop.report.source import ReportSource

_MOST_PANELS = 12


@dataclass(frozen=True, slots=True)
class SweepFigure:
    """Title, measure and axis of a figure along a sweep, for all parts of a study.

    Parameters
    ----------
    name : str
        The first word of the figure's name; the part is the rest.
    title : str
        Of the figure, without the part.
    columns : tuple of Measure
        A panel for each.
    from_zero : bool
        Whether the axis of values starts at zero.
    most_panels : int
        How many it has at most.
    """

    name: str
    title: str
    columns: tuple[Measure, ...]
    from_zero: bool
    most_panels: int = _MOST_PANELS

    def build(
        self,
        source: ReportSource,
        part: Mapping[str, Any],
        annotations: Annotations,
        *,
        legend: bool,
    ) -> Figure:
        """Draw the figure for one part.

        What has one value in all runs is said by ``Figure.constant`` and not drawn.
        """
        points, stacks = points_of(source.runs, part), source.stacks
        axis, groups = axis_and_groups(varied(source.runs, part), points)
        encoding = StackEncoding(
            stacks, _stacks_that_ran(points, stacks), legend=legend, symbols=True
        )
        panels: list[Panel] = []
        constant: list[str] = []
        everything: list[Measured] = []
        drawn_beside: list[Annotations] = []
        for column in self.columns:
            if column.name not in source.runs.columns:
                continue
            series = measured(points, stacks, column)
            everything += series
            beside = annotations.of(column)
            value = _only_value(series, column.unit)
            if value is not None and not beside.published:
                constant.append(f"{sentence_case(column.label)}: {value}")
                continue
            drawn_beside.append(beside)
            values = ValueAxis.around(series, column, beside, from_zero=self.from_zero)
            of_column = SweepPanels(column, values, encoding, beside)
            for label, members in groups[: max(1, self.most_panels // len(self.columns))]:
                here = {point.values for point in members}
                drawn = [found for found in series if found.point.values in here]
                title = ", ".join(filter(None, (sentence_case(column.label), label)))
                panels.append(
                    of_column.dots(title, drawn)
                    if axis is None
                    else of_column.lines(title, drawn, axis)
                )
        drawn_columns = len(self.columns) - len(constant)
        hidden = len(groups) * drawn_columns - len(panels) if panels else 0
        overloaded = any(found.overloaded for found in everything)
        return Figure(
            name=f"{self.name}-{part['name']}",
            title=titled(self.title, part, source.study),
            reading=_reading(
                axis,
                drawn_beside,
                unreached=any(math.isinf(found.interval.mean) for found in everything),
                overloaded=overloaded,
            )
            + ("" if axis is None else one_line.reading(one_line.on_one_line(everything)))
            + (f" {hidden} more panels are left out." if hidden > 0 else ""),
            dataset="runs.parquet",
            runs=sum(point.rows.filter(pl.col("status") == "completed").height for point in points),
            interval=describe_series(everything),
            panels=tuple(panels),
            legend="stacks",
            legend_entries=encoding.shown,
            overloaded=overloaded,
            constant=tuple(constant),
        )


def axis_and_groups(
    swept: Sequence[Swept], points: Sequence[Point]
) -> tuple[SweepAxis | None, list[tuple[str, list[Point]]]]:
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
    return SweepAxis.along(swept[place], place, points), labelled


def _only_value(series: Sequence[Measured], unit: str) -> str | None:
    """Write the value that all runs of several arms have; None where they differ."""
    if len(series) < 2:  # noqa: PLR2004  (one arm has nothing to differ from)
        return None
    values = {value for found in series for value in found.values}
    if len(values) > 1 or not all(map(math.isfinite, values)):
        return None
    return format_quantity(values.pop(), unit)


def _without(values: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*values[:place], *values[place + 1 :])


def _reading(
    axis: SweepAxis | None,
    beside: Sequence[Annotations],
    *,
    unreached: bool,
    overloaded: bool,
) -> str:
    text = "A dot is the mean of the repetitions, the line through it its interval."
    if axis is not None:
        text = "A line is the mean of the repetitions, the band its interval."
        if unreached:
            text += " A triangle at the upper edge: not reached, too few messages arrived."
    if overloaded:
        text += overload.READING + (overload.LINE_READING if axis is not None else "")
    if any(found.published for found in beside):
        text += " A short bar is the published value; with an arrow it is a bound."
    if required := [limit.text for found in beside for limit in found.limits]:
        text += f" The long rule is what is required: {' and '.join(map(in_words, required))}."
    if axis is not None and any(found.flips for found in beside):
        text += " A dashed rule marks where another stack takes the lead, grey how well we know."
    return text


def _stacks_that_ran(points: Sequence[Point], stacks: Sequence[str]) -> tuple[str, ...]:
    ran = {
        stack
        for point in points
        for stack in point.rows.filter(pl.col("status") == "completed")["stack"]
    }
    return tuple(stack for stack in stacks if stack in ran)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

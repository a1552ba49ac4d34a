"""Battery years along a sweep: a curve for each setting of what else is swept."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lasthop.answer.points import Point, points_of, varied
from lasthop.measures import measure
from lasthop.report.figures.along_sweep import axis_and_groups
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import number_axis
from lasthop.report.figures.figure import Figure, Panel, sentence_case, titled
from lasthop.report.figures.sweep_axes import SweepAxis, ValueAxis
from lasthop.report.figures.vega_lite import Chart, Color, End, Field, Layer, Legend, Scale, Y
from lasthop.report.series import Measured, describe_series, measured
from lasthop.report.source import ReportSource

NAME = "battery"
_YEARS = "battery_years"
_HEIGHT = 300


def battery_figure(source: ReportSource, part: Mapping[str, Any], *, legend: bool) -> Figure | None:
    """Draw years along the longest numeric axis, a curve a setting of the others, a panel a stack.

    None where a part sweeps fewer than two things, or no device lives on a battery.
    """
    if _YEARS not in source.runs.columns or len(part["swept"]) < 2:  # noqa: PLR2004
        return None
    points = [
        point for point in points_of(source.runs, part) if point.rows[_YEARS].is_not_null().any()
    ]
    axis, groups = axis_and_groups(varied(source.runs, part), points)
    if axis is None or len(groups) < 2:  # noqa: PLR2004  (a curve alone is drawn elsewhere)
        return None
    series = measured(points, source.stacks, measure(_YEARS))
    values = ValueAxis.around(series, measure(_YEARS), Annotations(), from_zero=False)
    stacks = [one for one in source.stacks if any(found.stack == one for found in series)]
    panels = tuple(
        _panel(stack, [found for found in series if found.stack == stack], axis, groups, values)
        for stack in stacks
    )
    return Figure(
        name=f"{NAME}-{part['name']}",
        title=titled("How long a battery lasts", part, source.study),
        reading="A curve for each setting of what else is swept; rules are intervals of the mean.",
        dataset="runs.parquet",
        runs=sum(point.rows.filter(pl.col("status") == "completed").height for point in points),
        interval=describe_series(series),
        panels=panels,
        legend="stacks",
        legend_entries=tuple(stacks) if legend else (),
    )


def _panel(
    stack: str,
    series: Sequence[Measured],
    axis: SweepAxis,
    groups: Sequence[tuple[str, Sequence[Point]]],
    values: ValueAxis,
) -> Panel:
    names = {point.values: label for label, members in groups for point in members}
    factor = values.measure.factor
    rows = [
        {
            "x": found.point.values[axis.place] * axis.measure.factor,
            "years": found.interval.mean * factor,
            "low": found.interval.low * factor,
            "high": found.interval.high * factor,
            "curve": names[found.point.values],
        }
        for found in series
    ]
    axis.scale.padding = 12
    curves = Scale(domain=[label for label, _ in groups], scheme="viridis")
    colour = Color("curve:N", scale=curves, legend=Legend(title=None))
    x = axis.encoding()
    y = Y("years:Q", title=values.measure.title, scale=values.scale, axis=number_axis(values.ticks))
    datasets = Datasets()
    everything = Layer(datasets.add(rows))
    tooltip = [Field("curve:N"), Field("years:Q"), Field("low:Q"), Field("high:Q")]
    layers = (
        everything.marked("line").encoded(x=x, y=y, color=colour),
        everything.marked("rule").encoded(
            x=x, y=Y("low:Q", scale=values.scale), y2=End("high"), color=colour
        ),
        everything.marked("point", filled=True).encoded(x=x, y=y, color=colour, tooltip=tooltip),
    )
    return Panel(sentence_case(f"battery life of {stack}"), Chart(layers, height=_HEIGHT), datasets)

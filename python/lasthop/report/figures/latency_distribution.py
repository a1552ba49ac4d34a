"""How long messages take: the share of offered messages that is still missing after a time."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.points import Point, points_of, spread_over
from lasthop.report.figures import overload
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import (
    AxisUnit,
    StackEncoding,
    log_ticks,
    number_axis,
)
from lasthop.report.figures.figure import Figure, Panel, sentence_case, titled
from lasthop.report.figures.vega_lite import Chart, Field, Layer, Scale, X, Y
from lasthop.report.source import ReportSource

NAME = "latency-distribution"

_HEIGHT = 280
_MOST_POINTS = 6
_STEPS_PER_DECADE = 60
# Earlier arrivals are drawn here: a logarithmic axis has no zero.
_EARLIEST_MS = 0.1
_OVERLOAD_READING = " A line of dots is an overload: it hangs on how long the runs are."


def latency_distribution(source: ReportSource, part: Mapping[str, Any], *, legend: bool) -> Figure:
    """Draw the distribution of latency over the offered messages, undelivered ones included."""
    points = points_of(source.runs, part)
    shown = spread_over(points, _MOST_POINTS)
    curves = [_curves(point, source) for point in shown]
    overloaded = [overload.remarks(point, source.stacks) for point in shown]
    drawn = [stack for stack in source.stacks if any(stack in found for found in curves)]
    frame = _Frame.around([curve for found in curves for curve in found.values()])
    encoding = StackEncoding(source.stacks, tuple(drawn), legend=legend, symbols=False)
    some = f" {len(shown)} of {len(points)} points are shown." if len(shown) < len(points) else ""
    run_ids = {
        run_id
        for point in shown
        for run_id in point.rows.filter(pl.col("status") == "completed")["run_id"]
    }
    return Figure(
        name=NAME,
        title=titled("How long messages take", part, source.study),
        reading=(
            "The share of the offered messages that has not arrived after a time; lower and "
            "further left is better. A line that stays level to the right edge is the share "
            "that never arrived." + (_OVERLOAD_READING if any(overloaded) else "") + some
        ),
        dataset="latency.parquet",
        runs=len(run_ids),
        interval="the messages of all repetitions together, no interval",
        panels=tuple(
            _panel(sentence_case(point.label) or "All messages", found, frame, encoding, aside)
            for point, found, aside in zip(shown, curves, overloaded, strict=True)
        ),
        legend="stacks",
        legend_entries=encoding.shown,
        overloaded=any(overloaded),
    )


Curve = list[tuple[float, float]]


def _curves(point: Point, source: ReportSource) -> dict[str, Curve]:
    completed = point.rows.filter(pl.col("status") == "completed").select("run_id", "stack")
    pooled = (
        source.latency(completed["run_id"])
        .join(completed, on="run_id")
        .group_by("stack", "lower_ns", "upper_ns")
        .agg(pl.col("messages").sum())
        .sort("stack", "upper_ns", nulls_last=True)
    )
    found = {key[0]: group for key, group in pooled.group_by("stack", maintain_order=True)}
    return {stack: _curve(found[stack]) for stack in source.stacks if stack in found}


def _curve(buckets: pl.DataFrame) -> Curve:
    """Return (milliseconds, share still missing), thinned to what an eye can tell apart."""
    offered = int(buckets["messages"].sum())
    arrived = buckets.filter(pl.col("upper_ns").is_not_null())
    if offered == 0:
        return []
    if arrived.is_empty():
        return [(math.nan, 1.0)]
    curve: Curve = [(max(arrived["lower_ns"][0] / 1e6, _EARLIEST_MS), 1.0)]
    missing = offered
    for upper_ns, messages in arrived.select("upper_ns", "messages").iter_rows():
        missing -= messages
        curve.append((max(upper_ns / 1e6, _EARLIEST_MS), missing / offered))
    return _thinned(curve)


def _thinned(curve: Curve) -> Curve:
    kept = [curve[0]]
    for point in curve[1:-1]:
        if _cell(point) != _cell(kept[-1]):
            kept.append(point)
    return [*kept, curve[-1]] if len(curve) > 1 else kept


def _cell(point: tuple[float, float]) -> tuple[int, int]:
    time, share = point
    across = int(math.log10(time) * _STEPS_PER_DECADE)
    down = int(math.log10(share) * _STEPS_PER_DECADE) if share > 0 else 1
    return across, down


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axes that all panels share: milliseconds across, shares down."""

    first: float
    last: float
    floor: float

    @classmethod
    def around(cls, curves: Sequence[Curve]) -> "_Frame":
        times = [time for curve in curves for time, _ in curve if math.isfinite(time)]
        shares = [share for curve in curves for _, share in curve if share > 0]
        return cls(
            first=min(times, default=1.0) / 1.1,
            last=max(times, default=1000.0) * 1.6,
            floor=10 ** math.floor(math.log10(min(shares, default=1.0)) - 1e-9),
        )


def _panel(
    title: str,
    curves: Mapping[str, Curve],
    frame: _Frame,
    encoding: StackEncoding,
    overloaded: Collection[str],
) -> Panel:
    measure = AxisUnit.of("time since the intended send", "ms", [frame.last])
    across = [frame.first * measure.factor, frame.last * measure.factor]
    down = [frame.floor * 100, 100.0]
    rows = [
        # What has all arrived is drawn down to the edge: zero has no place on this axis.
        {"stack": stack, "time": time * measure.factor, "missing": max(share * 100, down[0])}
        for stack, curve in curves.items()
        for time, share in _to_the_edges(curve, frame)
    ]
    datasets = Datasets()
    axes = {
        "x": X(
            "time:Q",
            title=measure.title,
            scale=Scale(type="log", domain=across, nice=False),
            axis=number_axis(log_ticks(*across)),
        ),
        "y": Y(
            "missing:Q",
            title="messages still missing (% of offered)",
            scale=Scale(type="log", domain=down, nice=False),
            axis=number_axis(log_ticks(*down)),
        ),
        "color": encoding.colour,
        "order": Field("time:Q"),
    }
    steady = [row for row in rows if row["stack"] not in overloaded]
    unsettled = [row for row in rows if row["stack"] in overloaded]
    layers = []
    if steady:
        layers.append(
            Layer(datasets.add(steady))
            .marked("line", interpolate="step-after", clip=True)
            .encoded(strokeDash=encoding.dash, **axes)
        )
    if unsettled:
        layers.append(
            Layer(datasets.add(unsettled))
            .marked("line", interpolate="step-after", clip=True, style=overload.LINE)
            .encoded(opacity=overload.line_key(legend=encoding.legend), **axes)
        )
    return Panel(title, Chart(tuple(layers), height=_HEIGHT), datasets)


def _to_the_edges(curve: Curve, frame: _Frame) -> Curve:
    """Begin at the left edge with everything missing, end at the right one with the rest."""
    inside = [(time, share) for time, share in curve if math.isfinite(time)]
    rest = inside[-1][1] if inside else 1.0
    return [(frame.first, 1.0), *inside, *([(frame.last, rest)] if rest else [])]

"""Panels of a figure along a sweep: lines with their bands, or a row of dots for each point."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lasthop.answer.quantities import format_quantity, format_range
from lasthop.measures import Measure
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import StackEncoding, number_axis, tooltip
from lasthop.report.figures.figure import Panel
from lasthop.report.figures.flip_marks import mark_layers
from lasthop.report.figures.limits import limit_layers
from lasthop.report.figures.overload import run_marks, stretches, unsettled_lines
from lasthop.report.figures.published import published_layers, published_rows
from lasthop.report.figures.sweep_axes import SweepAxis, ValueAxis
from lasthop.report.figures.vega_lite import Chart, End, Field, Layer, Scale, Value, X, Y
from lasthop.report.series import Measured

_HEIGHT = 260
_ROW_HEIGHT = 48
_BESIDE = -9
_LONGEST_NAME = 60
_UNREACHED = "\N{BLACK UP-POINTING TRIANGLE}"
_UNREACHED_OVERLOAD = "\N{WHITE UP-POINTING TRIANGLE}"


@dataclass(frozen=True, slots=True)
class SweepPanels:
    """The panels of one column."""

    column: Measure
    values: ValueAxis
    encoding: StackEncoding
    beside: Annotations

    def lines(
        self,
        title: str,
        series: Sequence[Measured],
        axis: SweepAxis,
    ) -> Panel:
        """Draw a line a stack along the sweep."""
        values, encoding = self.values, self.encoding
        datasets = Datasets()
        along = [found.point.values[axis.place] * axis.measure.factor for found in series]
        rows = [self._row(found) | {"x": x} for found, x in zip(series, along, strict=True)]
        runs = [
            run | {"x": x}
            for found, x in zip(series, along, strict=True)
            for run in self._run_rows(found)
        ]
        x = axis.encoding()
        y = Y(
            "mean:Q", title=values.measure.title, scale=values.scale, axis=number_axis(values.ticks)
        )
        reached = [row for row in rows if row["mean"] is not None]
        steady, unsettled = stretches(reached)
        ends = {"y": Y("low:Q", scale=values.scale), "y2": End("high")}
        bands, cut = banded(steady)
        band = (
            Layer(datasets.add(bands))
            .marked("area", opacity=0.16)
            .encoded(x=x, color=encoding.colour, detail=Field("band:N"), **ends)
        )
        open_ended = (
            Layer(datasets.add(cut))
            .marked("rule", style="open-interval")
            .encoded(x=x, color=encoding.colour, tooltip=_TOOLTIP, **ends)
        )
        line = (
            Layer(datasets.add(steady))
            .marked("line")
            .encoded(
                x=x,
                y=y,
                color=encoding.colour,
                strokeDash=encoding.dash,
                detail=Field("stretch:N"),
            )
        )
        dots = unsettled_lines(unsettled, datasets, encoding, x=x, y=y)
        settled = [row for row in reached if not row["overload"]]
        means = (
            Layer(datasets.add(settled))
            .marked("point")
            .encoded(x=x, y=y, color=encoding.colour, shape=encoding.shape, tooltip=_TOOLTIP)
        )
        claimed = published_rows(rows, self.beside.published, factor=values.measure.factor)
        bars = published_layers(
            claimed, datasets, encoding, x=x, y=Y("published:Q", scale=values.scale)
        )
        unreached = [
            Layer(datasets.add(members))
            .marked("text", fontSize=12, baseline="top", dx=_BESIDE * place)
            .encoded(
                x=x,
                y=Value(-2),
                text=Field("unreached:N"),
                color=encoding.colour,
                tooltip=_TOOLTIP,
            )
            for place, members in enumerate(_side_by_side(rows))
        ]
        flipped = mark_layers(
            self.beside.flips, datasets, axis.encoding, factor=axis.measure.factor
        )
        hollow = run_marks(runs, datasets, encoding, x=x, y=y)
        limits = limit_layers(
            self.beside.limits,
            datasets,
            factor=values.measure.factor,
            y=Y("limit:Q", scale=values.scale),
        )
        # A layer without a row would have no extent.
        intervals = [*([band] if bands else []), *([open_ended] if cut else [])]
        drawn = [*intervals, *([line] if steady else []), *dots, *([means] if settled else [])]
        layers = [*flipped, *limits, *drawn, *hollow, *bars, *unreached]
        return Panel(title, Chart(tuple(layers), height=_HEIGHT), datasets)

    def dots(self, title: str, series: Sequence[Measured]) -> Panel:
        """Draw a dot for each stack and point, one below the other."""
        values, encoding = self.values, self.encoding
        datasets = Datasets()
        rows = [self._row(found) | _named(found) for found in series]
        runs = [run | _named(found) for found in series for run in self._run_rows(found)]
        x = X(
            "mean:Q", title=values.measure.title, scale=values.scale, axis=number_axis(values.ticks)
        )
        values.scale.padding = 10
        names = list(dict.fromkeys(row["row"] for row in rows))
        y = Y("row:N", title=None, axis=None, scale=Scale(domain=names))
        everything = Layer(datasets.add(rows))
        # The name stands above its dot, where a long one has room on a phone too.
        name = everything.marked("text", align="left", dy=-15, fontSize=12).encoded(
            x=Value(0), y=y, text=Field("name:N"), tooltip=_TOOLTIP
        )
        settled = [row for row in rows if row["mean"] is not None and not row["overload"]]
        reached = Layer(datasets.add(settled))
        rule = reached.marked("rule").encoded(
            x=X("low:Q", scale=values.scale), x2=End("high"), y=y, color=encoding.colour
        )
        dot = reached.marked("point", size=80).encoded(
            x=x, y=y, color=encoding.colour, shape=encoding.shape, tooltip=_TOOLTIP
        )
        claimed = published_rows(rows, self.beside.published, factor=values.measure.factor)
        bars = published_layers(
            claimed, datasets, encoding, x=X("published:Q", scale=values.scale), y=y
        )
        missing = (
            Layer(datasets.add([row for row in rows if row["mean"] is None]))
            .marked("text", align="left", dx=4, dy=3)
            .encoded(x=Value(0), y=y, text=Field("value:N"), tooltip=_TOOLTIP)
        )
        hollow = run_marks(runs, datasets, encoding, x=x, y=y)
        height = _ROW_HEIGHT * max(1, len(names))
        limits = limit_layers(
            self.beside.limits,
            datasets,
            factor=values.measure.factor,
            x=X("limit:Q", scale=values.scale),
        )
        layers = [*limits, name, *([rule, dot] if settled else []), *hollow, *bars, missing]
        return Panel(title, Chart(tuple(layers), height=height), datasets)

    def _row(self, found: Measured) -> dict[str, Any]:
        factor, column, interval = self.values.measure.factor, self.column, found.interval
        missing = f"overload, {column.missing}" if found.overloaded else column.missing
        return {
            "stack": found.stack,
            "point": found.point.label,
            "value": format_quantity(interval.mean, column.unit, missing=missing),
            "interval": format_range(interval, column.unit, missing=column.missing),
            "runs": interval.repetitions,
            "mean": _finite(interval.mean * factor),
            "low": _finite(max(interval.low * factor, self.values.floor)),
            "cut": interval.low * factor < self.values.floor,
            "high": _finite(interval.high * factor),
            "overload": found.overloaded,
            "unreached": _UNREACHED_OVERLOAD if found.overloaded else _UNREACHED,
        }

    def _run_rows(self, found: Measured) -> list[dict[str, Any]]:
        """Give a row for each run of an overload that has a value."""
        if not found.overloaded:
            return []
        shared = self._row(found)
        return [
            shared
            | {
                "mean": value * self.values.measure.factor,
                "value": format_quantity(value, self.column.unit),
                "remark": "the queue never settles",
            }
            for value in found.values
            if math.isfinite(value)
        ]


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


def banded(
    steady: Sequence[dict[str, Any]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Divide points with intervals: those that a band joins, and those cut off by the axis.

    A logarithmic axis has no place for an interval that reaches down to nothing; a band from it
    to its neighbour would be a wedge that means nothing.
    """
    bands: list[dict[str, Any]] = []
    cut: dict[tuple[str, float], dict[str, Any]] = {}
    piece = 0
    for row in steady:
        if row["cut"]:
            piece += 1
            cut[row["stack"], row["x"]] = row
        else:
            bands.append(row | {"band": f"{row['stretch']} {piece}"})
    return bands, list(cut.values())


def _named(found: Measured) -> dict[str, str]:
    """Name a row of dots, in full to tell it from others and short to be read."""
    whole = ", ".join(filter(None, (found.stack, found.point.label)))
    short = whole if len(whole) <= _LONGEST_NAME else f"{whole[: _LONGEST_NAME - 1].rstrip()}…"
    return {"row": whole, "name": short}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


_TOOLTIP = tooltip(value="mean", interval="interval")

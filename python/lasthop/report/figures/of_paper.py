"""The figures of a paper: ours along its axis, in its unit and legend, its values beside them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from lasthop.answer.points import Point
from lasthop.claims.cells import Cell, Cells, coordinate
from lasthop.report.figures import overload
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.encodings import AxisUnit, StackEncoding, value_scale
from lasthop.report.figures.figure import Figure, sentence_case
from lasthop.report.figures.published import PublishedMark
from lasthop.report.figures.sweep_axes import SweepAxis, ValueAxis
from lasthop.report.figures.sweep_panels import SweepPanels
from lasthop.report.figures.traced_columns import with_traced_columns
from lasthop.report.figures.vega_lite import Scale
from lasthop.report.series import Measured, describe_series, spread_of
from lasthop.report.source import ReportSource
from lasthop.statistics.intervals import FEWEST_FOR_T, Interval, IntervalKind, interval
from lasthop.study.claims.claim import Area
from lasthop.study.figures import PaperFigure, PaperFigures
from lasthop.study.figures.figure import PaperArm, PaperAxis, PaperColumn, PublishedValue, arm_of
from lasthop.study.figures.traced import TRACED

PREFIX = "paper"
_LOG_FROM_RATIO = 50.0
"""Below it an axis is linear from zero, as the papers have theirs."""
_NOT_RUN = Interval(math.inf, math.inf, math.inf, IntervalKind.SINGLE, 0)
_UNUSABLE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ArmValue:
    """Ours for an arm of a figure, in the unit of the paper.

    Parameters
    ----------
    position : float or None
        On the axis of the paper; None without an axis.
    found : Measured
        The values of the runs with their interval.
    """

    legend: str
    position: float | None
    found: Measured


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure of a paper with our values.

    Parameters
    ----------
    paper : PaperFigure
        What the paper has.
    figure : Figure or None
        The chart; None of a table, and where no run shows anything.
    columns : tuple of sequence of ArmValue
        Our values, by column.
    remarks : tuple of str
        How the paper gives it, and what is not drawn, and why.
    """

    paper: PaperFigure
    figure: Figure | None
    columns: tuple[Sequence[ArmValue], ...]
    remarks: tuple[str, ...]

    @property
    def heading(self) -> str:
        """The number and the title."""
        return f"{sentence_case(self.paper.number)}: {self.paper.title}"


class PaperRenderer:
    """Draws the figures of a paper from the runs of a study, and of others beside it.

    Parameters
    ----------
    sources : sequence of ReportSource
        The study that names the figures, then others of the same paper.
    legend : bool
        Whether each chart carries a legend; a page has its own.
    """

    def __init__(self, sources: Sequence[ReportSource], *, legend: bool = False) -> None:
        self._sources = {source.study["name"]: source for source in sources}
        self._cells: dict[str, Cells] = {}
        self._legend = legend

    def draw(self, paper: PaperFigures) -> tuple[DrawnFigure, ...]:
        """Draw every figure, in the order of the paper."""
        self._cells = {
            name: Cells(with_traced_columns(one, paper)) for name, one in self._sources.items()
        }
        return tuple(self._draw(one, tuple(paper.legends)) for one in paper.figures)

    def _draw(self, paper: PaperFigure, legends: tuple[str, ...]) -> DrawnFigure:
        columns = tuple(self._values(paper, column) for column in paper.columns)
        here = [values for values in columns if values]
        remarks = (*_as_given(paper), *self._absent(paper, columns))
        if not here or paper.is_table:
            return DrawnFigure(paper, None, columns, remarks)
        chart = self._chart(paper, columns[0], legends, remarks)
        return DrawnFigure(paper, chart, columns, remarks)

    def _values(self, paper: PaperFigure, column: PaperColumn) -> list[ArmValue]:
        base = None
        if column.relative_to is not None:
            arm = next(one for one in paper.arms if one.legend == column.relative_to)
            cells = self._of(arm_of(arm, column), None)
            base = None if len(cells) != 1 else _by_seed(cells[0], column)
            if base is None:
                return []
        found = []
        for arm in paper.arms:
            for cell in self._of(arm_of(arm, column), paper.axis):
                at = None if paper.axis is None else coordinate(cell, paper.axis.place)
                position = None if at is None or paper.axis is None else at * paper.axis.factor
                if paper.axis is not None and position is None:
                    continue
                own = column
                if arm.measurands:
                    own = replace(column, measurands=arm.measurands, factor=arm.factor)
                value = _measured(cell, arm, own, base, position, paper.axis)
                if value is not None:
                    found.append(ArmValue(arm.legend, position, value))
        return found

    def _of(self, arm: PaperArm, axis: PaperAxis | None) -> list[Cell]:
        """Give the cells of an arm; without an axis it is one point."""
        source = self._sources.get(arm.study)
        if source is None:
            return []
        parts = source.study.get("parts") or ()
        part = next((one for one in parts if arm.part in (None, one["name"])), None)
        if part is None:
            return []
        swept = tuple(entry["key"] for entry in part["swept"])
        cells = self._cells[arm.study].of(arm.stack, Area(part["name"], swept, arm.at, None))
        return cells if axis is not None or len(cells) == 1 else []

    def _absent(self, paper: PaperFigure, columns: Sequence[Sequence[ArmValue]]) -> tuple[str, ...]:
        """Say which arms no run of these results shows, and where they are."""
        shown = {value.legend for values in columns for value in values}
        lacking: dict[str, list[str]] = {}
        for arm in paper.arms:
            if arm.legend not in shown:
                lacking.setdefault(arm.study, []).append(arm.legend)
        for column, values in zip(paper.columns, columns, strict=True):
            if column.study is not None and not values and shown:
                lacking.setdefault(column.study, []).append(column.title)
        said = []
        for study, legends in lacking.items():
            names = ", ".join(legends)
            if study in self._sources:
                said.append(f"Not drawn: {names}. No completed run of {study} shows it.")
            else:
                said.append(
                    f"Not drawn: {names}. It needs the runs of {study}; name their folder with "
                    "--beside."
                )
        return tuple(said)

    def _chart(
        self,
        paper: PaperFigure,
        values: Sequence[ArmValue],
        legends: tuple[str, ...],
        remarks: Sequence[str],
    ) -> Figure:
        column, axis = paper.columns[0], paper.axis
        series = [value.found for value in values]
        marks = _marks(column, axis)
        named = {value.legend for value in values} | {mark.stack for mark in marks}
        shown = tuple(arm.legend for arm in paper.arms if arm.legend in named)
        measure = replace(
            column.measurands[0].measure,
            name=column.title,
            unit=column.unit,
            missing="no value of ours",
        )
        beside = Annotations(published=marks)
        encoding = StackEncoding(legends, shown, legend=self._legend, symbols=True)
        panels = SweepPanels(measure, _value_axis(column, series, marks), encoding, beside)
        along = None if axis is None else _axis(axis, values, marks)
        panel = (
            panels.dots(paper.title, _in_rows(paper, series, marks))
            if along is None
            else panels.lines(paper.title, series, along)
        )
        overloaded = any(found.overloaded for found in series)
        return Figure(
            name=figure_name(paper.number),
            title=f"{sentence_case(paper.number)}: {paper.title}",
            reading=" ".join((*remarks, _reading(series, marks, is_line=along is not None))),
            dataset="runs.parquet",
            runs=sum(len(found.values) for found in series),
            interval=describe_series(series),
            panels=(panel,),
            legend="stacks",
            legend_entries=shown,
            overloaded=overloaded,
            palette=legends,
        )


def figure_name(number: str) -> str:
    """Return the name by which ``lasthop report --figure`` takes a figure of a paper.

    Examples
    --------
    >>> figure_name("Figure 2a")
    'paper-figure-2a'
    """
    return "-".join((PREFIX, *filter(None, _UNUSABLE.split(number.lower()))))


def _by_seed(cell: Cell, column: PaperColumn) -> dict[int, float]:
    each = [cell.values(one) for one in column.measurands]
    return {seed: _sum([one[seed] for one in each]) for seed in each[0]}


def _sum(values: Sequence[float]) -> float:
    """Add what is there: a stack without retransmissions of its own has those of its transport."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) if finite else math.inf


def _measured(  # noqa: PLR0913, PLR0917  (each says where or what)
    cell: Cell,
    arm: PaperArm,
    column: PaperColumn,
    base: Mapping[int, float] | None,
    position: float | None,
    axis: PaperAxis | None,
) -> Measured | None:
    by_seed = _by_seed(cell, column)
    if base is not None:
        by_seed = {
            seed: value / base[seed]
            for seed, value in by_seed.items()
            if seed in base and base[seed] > 0
        }
    finite = [value for value in by_seed.values() if math.isfinite(value)]
    is_traced = column.measurands[0].name in TRACED
    if not by_seed or (is_traced and not finite):  # runs that keep no messages
        return None
    values = tuple(value * column.factor for value in by_seed.values())
    overloaded = cell.arm.overload is not None
    found = spread_of(values) if overloaded else _interval(cell, column, by_seed, base)
    return Measured(_point(position, axis), arm.legend, values, found, overloaded)


def _point(position: float | None, axis: PaperAxis | None) -> Point:
    values = () if position is None else (position,)
    label = _label(position, axis)
    return Point(values, ((label, ""),) if label else (), label, pl.DataFrame(), 0, 0)


def _label(position: float | None, axis: PaperAxis | None) -> str:
    return "" if axis is None or position is None else f"{axis.title} {_place(position, axis)}"


def _in_rows(
    paper: PaperFigure, series: Sequence[Measured], marks: Sequence[PublishedMark]
) -> list[Measured]:
    """Give a row for each arm of the legend, one that did not run where the paper has a value."""
    there = {found.stack: found for found in series}
    published = {mark.stack for mark in marks}
    return [
        there.get(arm.legend)
        or Measured(_point(None, None), arm.legend, (), _NOT_RUN, overloaded=False)
        for arm in paper.arms
        if arm.legend in there or arm.legend in published
    ]


def _interval(
    cell: Cell,
    column: PaperColumn,
    by_seed: Mapping[int, float],
    base: Mapping[int, float] | None,
) -> Interval:
    """Find the interval of the repetitions as a claim about them has it."""
    finite = all(map(math.isfinite, by_seed.values()))
    alone = len(column.measurands) == 1 and base is None
    if len(by_seed) >= FEWEST_FOR_T and finite and alone:
        own = cell.measured(column.measurands[0])
        if not own.constant:
            return own.estimate().interval.scaled(column.factor)
    return interval([value * column.factor for value in by_seed.values()])


def _place(position: float, axis: PaperAxis) -> str:
    return f"{position:g} {axis.unit}".rstrip()


def _marks(column: PaperColumn, axis: PaperAxis | None) -> list[PublishedMark]:
    return [
        PublishedMark(
            part="",
            column=column.title,
            stack=legend,
            point=_label(position, axis),
            value=told.value,
            text=f"{told.text} in the authors' capture" if is_captured else told.text,
            side=told.side,
            x=position,
            is_captured=is_captured,
        )
        for is_captured, values in ((False, column.published), (True, column.captured))
        for legend, places in values.items()
        for position, told in places.items()
    ]


def published_at(
    values: Mapping[str, Mapping[float | None, PublishedValue]], value: ArmValue
) -> PublishedValue | None:
    """Find the value of the paper, or of a capture, at a place where there is one of ours."""
    for position, told in values.get(value.legend, {}).items():
        if position == value.position or (
            position is not None
            and value.position is not None
            and math.isclose(position, value.position, rel_tol=1e-6)
        ):
            return told
    return None


def _value_axis(
    column: PaperColumn, series: Sequence[Measured], marks: Sequence[PublishedMark]
) -> ValueAxis:
    means = [found.interval.low if found.overloaded else found.interval.mean for found in series]
    least = min([*means, *(mark.value for mark in marks)], default=0.0) / 2
    ends = [
        *(max(found.interval.low, least) if least > 0 else found.interval.low for found in series),
        *(found.interval.high for found in series),
        *(mark.value for mark in marks),
    ]
    scale, ticks = value_scale(ends, from_zero=False)
    if scale.type != "log" and column.unit != "dB":
        scale = Scale(zero=True, nice=True)
    if column.unit == "%":
        scale, ticks = Scale(zero=False, nice=True), None
    floor = scale.domain[0] if scale.type == "log" else -math.inf
    return ValueAxis(AxisUnit(1.0, _titled(column.label, column.unit)), scale, ticks, floor)


def _axis(axis: PaperAxis, values: Sequence[ArmValue], marks: Sequence[PublishedMark]) -> SweepAxis:
    places = (*(value.position for value in values), *(mark.x for mark in marks))
    positions = sorted({place for place in places if place is not None})
    is_wide = positions[0] > 0 and positions[-1] / positions[0] >= _LOG_FROM_RATIO
    scale, ticks = value_scale(positions, from_zero=not is_wide)
    scale.padding = 12
    title = AxisUnit(1.0, _titled(axis.title, axis.unit))
    return SweepAxis(title, 0, scale, ticks if scale.type == "log" and ticks else positions)


def _titled(title: str, unit: str) -> str:
    return f"{title} ({unit})"


def _reading(series: Sequence[Measured], marks: Sequence[PublishedMark], *, is_line: bool) -> str:
    text = (
        "Ours: a line is the mean of the repetitions, the band its interval."
        if is_line
        else "Ours: a dot is the mean of the repetitions, the line through it its interval."
    )
    if any(math.isinf(found.interval.mean) for found in series):
        text += " A triangle at the upper edge: not reached, too few messages arrived."
    if any(found.overloaded for found in series):
        text += overload.READING + (overload.LINE_READING if is_line else "")
    if any(mark.is_captured for mark in marks):
        text += " A capture of the authors: a hollow diamond."
    if not all(mark.is_captured for mark in marks):
        text += " The paper: a short bar is its value; with an arrow it is a bound."
    return text


def _as_given(paper: PaperFigure) -> tuple[str, ...]:
    """Say how the paper gives the figure, and where its drawn values come from."""
    if paper.not_drawn is not None:
        return (f"Not drawn: {paper.not_drawn}.", *_noted(paper))
    count = paper.published
    values = "One value" if count == 1 else f"{count} values"
    where = f" ({paper.source})" if paper.source else ""
    if paper.given == "numbers":
        return (f"The paper gives it in numbers: {values.lower()}{where}.", *_noted(paper))
    if not count:
        told = "The paper has it only as a picture, so none of its values stands here."
        return (told, *_noted(paper))
    verb = "is" if count == 1 else "are"
    return (
        f"The paper has it as a picture. {values} of it {verb} named in its text{where}.",
        *_noted(paper),
    )


def _noted(paper: PaperFigure) -> tuple[str, ...]:
    return () if paper.note is None else (f"{sentence_case(paper.note)}.",)

"""Energy: the joules of a delivered message, by what the radio spent them on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import Measure, number_axis
from lasthop.report.figures.figure import Figure, Panel, sentence_case, titled
from lasthop.report.figures.ledger import LEDGER_ENTRIES
from lasthop.report.points import Point, points_of, spread_over
from lasthop.report.quantities import format_quantity
from lasthop.report.source import ReportSource
from lasthop.report.styles import ENERGY_CAUSES

NAME = "energy"
ENERGY_ENTRIES = tuple(cause.replace("_", " ") for cause in ENERGY_CAUSES)

_COLUMNS = {f"energy_{cause}_j": cause.replace("_", " ") for cause in ENERGY_CAUSES}
_MOST_POINTS = 3
_ROW_HEIGHT = 26
_SLOTS = ("name", "bar")


def energy_figure(source: ReportSource, part: Mapping[str, Any], *, legend: bool) -> Figure:
    """Draw the joules of a delivered message, a bar a stack; no panels where no run has any."""
    points = [
        point for point in points_of(source.runs, part) if not _measured(point.rows).is_empty()
    ]
    shown = spread_over(points, _MOST_POINTS)
    rows = [_rows(point) for point in shown]
    used = {row["entry"] for found in rows for row in found}
    entries = tuple(entry for entry in ENERGY_ENTRIES if entry in used)
    totals = [total for found in rows for total in _totals(found).values()]
    bars = _Bars(source.stacks, entries, max(totals, default=1.0), legend)
    some = f" {len(shown)} of {len(points)} points are shown." if len(shown) < len(points) else ""
    return Figure(
        name=NAME,
        title=titled("What the energy is for", part, source.study),
        reading=(
            "What the radios of all devices draw while messages are measured, for each message "
            "that arrived. Sleep between messages counts." + some
        ),
        dataset="runs.parquet",
        runs=sum(_measured(point.rows)["run_id"].n_unique() for point in shown),
        interval="mean over the repetitions, no interval",
        panels=tuple(
            _panel(sentence_case(point.label) or "All runs", found, bars)
            for point, found in zip(shown, rows, strict=True)
        ),
        legend="energy",
        legend_entries=entries,
    )


def _measured(runs: pl.DataFrame) -> pl.DataFrame:
    """Keep the completed runs that have energy and delivered messages."""
    if "energy_per_message_j" not in runs.columns:
        return runs.clear()
    return runs.filter(
        pl.col("status") == "completed", pl.col("energy_per_message_j").is_not_null()
    )


def _rows(point: Point) -> list[dict[str, Any]]:
    per_message = [pl.col(column) / pl.col("messages_delivered") for column in _COLUMNS]
    means = (
        _measured(point.rows)
        .group_by("stack", maintain_order=True)
        .agg(*(joules.mean() for joules in per_message))
    )
    rows = []
    for mean in means.iter_rows(named=True):
        total = sum(mean[column] for column in _COLUMNS)
        rows += [
            {
                "stack": mean["stack"],
                "slot": _SLOTS[1],
                "entry": entry,
                "joules": mean[column],
                "text": format_quantity(mean[column], "J"),
                "share": format_quantity(mean[column] / total, "fraction"),
            }
            for column, entry in _COLUMNS.items()
            if mean[column] > 0
        ]
    return rows


@dataclass(frozen=True, slots=True)
class _Bars:
    """What all panels share, so that their bars can be compared."""

    stacks: tuple[str, ...]
    entries: tuple[str, ...]
    largest: float
    legend: bool

    @property
    def measure(self) -> Measure:
        return Measure.of("energy of a message", "J", [self.largest])

    @property
    def scale(self) -> alt.Scale:
        # A seventh more than the longest bar: room for the joules at its end.
        return alt.Scale(domain=[0, self.largest * self.measure.factor * 1.14], nice=False)

    @property
    def colour(self) -> alt.Color:
        return alt.Color(
            "entry:N",
            scale=alt.Scale(domain=[*LEDGER_ENTRIES, *ENERGY_ENTRIES], range="ordinal"),
            legend=alt.Legend(values=list(self.entries), title=None) if self.legend else None,
        )


def _totals(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for row in rows:
        totals[row["stack"]] = totals.get(row["stack"], 0.0) + row["joules"]
    return totals


def _panel(title: str, rows: Sequence[Mapping[str, Any]], bars: _Bars) -> Panel:
    datasets = Datasets()
    totals = _totals(rows)
    factor = bars.measure.factor
    present = [stack for stack in bars.stacks if stack in totals]
    y = alt.Y(
        "stack:N",
        title=None,
        scale=alt.Scale(domain=present, paddingInner=0.25, paddingOuter=0.1),
        axis=None,
    )
    offset = alt.YOffset("slot:N", scale=alt.Scale(domain=list(_SLOTS), paddingInner=0.12))
    x = alt.X("size:Q", title=bars.measure.title, scale=bars.scale, axis=number_axis())
    drawn = [
        {**row, "size": row["joules"] * factor, "order": ENERGY_ENTRIES.index(row["entry"])}
        for row in rows
    ]
    segments = (
        alt.Chart(datasets.add(drawn))
        .mark_bar()
        .encode(
            x=x,
            y=y,
            yOffset=offset,
            color=bars.colour,
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("stack:N", title="stack"),
                alt.Tooltip("entry:N", title="for"),
                alt.Tooltip("text:N", title="energy of a message"),
                alt.Tooltip("share:N", title="of all"),
            ],
        )
    )
    ends = [
        {
            "stack": stack,
            "slot": _SLOTS[1],
            "size": total * factor,
            "text": format_quantity(total, "J"),
        }
        for stack, total in totals.items()
    ]
    sums = (
        alt.Chart(datasets.add(ends))
        .mark_text(align="left", dx=5)
        .encode(x=x, y=y, yOffset=offset, text="text:N")
    )
    # The name stands above its bar, where a long one has room on a phone too.
    names = (
        alt.Chart(datasets.add([{"stack": stack, "slot": _SLOTS[0]} for stack in present]))
        .mark_text(align="left", baseline="middle", fontSize=12)
        .encode(x=alt.value(0), y=y, yOffset=offset, text="stack:N")
    )
    height = max(1, len(present)) * len(_SLOTS) * _ROW_HEIGHT
    chart = alt.LayerChart(layer=[segments, sums, names], height=height)
    return Panel(title, chart, datasets)

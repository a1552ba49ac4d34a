"""Figure of the energy: joules per delivered message, split by radio activity."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from lasthop.answer.points import Point, points_of, spread_over
from lasthop.answer.quantities import format_quantity
from lasthop.referee.row import OVERLOAD
from lasthop.report.figures import overload
from lasthop.report.figures.figure import Figure, sentence_case, titled
from lasthop.report.figures.ledger import LEDGER_ENTRIES
from lasthop.report.figures.stacked_bars import StackedBars
from lasthop.report.figures.vega_lite import Field
from lasthop.report.source import ReportSource
from lasthop.report.styles import ENERGY_CAUSES

NAME = "energy"
ENERGY_ENTRIES = tuple(cause.replace("_", " ") for cause in ENERGY_CAUSES)

_COLUMNS = {f"energy_{cause}_j": cause.replace("_", " ") for cause in ENERGY_CAUSES}
_MOST_POINTS = 3
_SLOT = "bar"
_WEIGHTS_READING = (
    " Bars are those of the simulated devices, without their weights in the fleet; "
    "energy_per_message_j in runs.parquet has the weights."
)
_OVERLOAD_READING = " An overload has no bar: what little arrives hangs on how long the run is."


def energy_figure(source: ReportSource, part: Mapping[str, Any], *, legend: bool) -> Figure:
    """Draw the joules of a delivered message, a bar a stack; no panels where no run has any."""
    points = [
        point for point in points_of(source.runs, part) if not _measured(point.rows).is_empty()
    ]
    shown = spread_over(points, _MOST_POINTS)
    remarks = [overload.remarks(point, source.stacks) for point in shown]
    bars = StackedBars(
        stacks=source.stacks,
        slots=(_SLOT,),
        entries=ENERGY_ENTRIES,
        palette=(*LEDGER_ENTRIES, *ENERGY_ENTRIES),
        rows=[_rows(point) for point in shown],
        label="energy of a message",
        unit="J",
        room=1.14,
        word=lambda _, joules: format_quantity(joules, "J"),
        tooltip=(
            Field("stack:N", title="stack"),
            Field("entry:N", title="for"),
            Field("text:N", title="energy of a message"),
            Field("share:N", title="of all"),
        ),
        legend=legend,
        remarks=remarks,
    )
    some = f" {len(shown)} of {len(points)} points are shown." if len(shown) < len(points) else ""
    return Figure(
        name=NAME,
        title=titled("What the energy is for", part, source.study),
        reading=(
            "What the radios of all devices draw while messages are measured, for each message "
            "that arrived. Sleep between messages counts."
            + (_WEIGHTS_READING if shown and source.has_weights else "")
            + (_OVERLOAD_READING if any(remarks) else "")
            + some
        ),
        dataset="runs.parquet",
        runs=sum(_measured(point.rows)["run_id"].n_unique() for point in shown),
        interval="mean over the repetitions, no interval",
        panels=bars.panels([sentence_case(point.label) or "All runs" for point in shown]),
        legend="energy",
        legend_entries=bars.shown,
    )


def _measured(runs: pl.DataFrame) -> pl.DataFrame:
    """Keep the completed runs that have energy and delivered messages, and were not overloaded."""
    if "energy_per_message_j" not in runs.columns:
        return runs.clear()
    return runs.filter(
        pl.col("status") == "completed",
        pl.col("reason").ne_missing(OVERLOAD),
        pl.col("energy_per_message_j").is_not_null(),
    )


def _rows(point: Point) -> list[dict[str, Any]]:
    # Results of an earlier version lack the causes that came later.
    columns = {column: entry for column, entry in _COLUMNS.items() if column in point.rows.columns}
    per_message = [pl.col(column) / pl.col("messages_delivered") for column in columns]
    means = (
        _measured(point.rows)
        .group_by("stack", maintain_order=True)
        .agg(*(joules.mean() for joules in per_message))
    )
    rows = []
    for mean in means.iter_rows(named=True):
        total = sum(mean[column] for column in columns)
        rows += [
            {
                "stack": mean["stack"],
                "slot": _SLOT,
                "entry": entry,
                "value": mean[column],
                "text": format_quantity(mean[column], "J"),
                "share": format_quantity(mean[column] / total, "fraction"),
            }
            for column, entry in columns.items()
            if mean[column] > 0
        ]
    return rows

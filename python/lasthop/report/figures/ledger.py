"""The ledger: what the bytes on the wire were for, by layer, cause and direction."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from lasthop.answer.points import Point, points_of, spread_over
from lasthop.answer.quantities import format_quantity
from lasthop.report.figures import overload
from lasthop.report.figures.figure import Figure, sentence_case, titled
from lasthop.report.figures.stacked_bars import StackedBars
from lasthop.report.figures.vega_lite import Field
from lasthop.report.source import ReportSource
from lasthop.report.styles import LEDGER_KEYS

NAME = "ledger"

_MOST_POINTS = 3
_DIRECTIONS = ("up", "down")


def ledger_entry(layer: str, cause: str) -> str:
    """Name a kind of bytes.

    Examples
    --------
    >>> ledger_entry("udp", "header"), ledger_entry("application", "session_set_up")
    ('UDP header', 'application session set up')
    """
    spelt = {"application": layer, "websocket": "WebSocket"}.get(layer, layer.upper())
    return f"{spelt} {cause.replace('_', ' ')}"


_OTHER = "other"
LEDGER_ENTRIES = (*(ledger_entry(*key) for key in LEDGER_KEYS), _OTHER)


def ledger_figure(source: ReportSource, part: Mapping[str, Any], *, legend: bool) -> Figure:
    """Draw the bytes offered to each path, a bar a stack and direction."""
    points = points_of(source.runs, part)
    shown = spread_over(points, _MOST_POINTS)
    rows = [_rows(point, source) for point in shown]
    written = sorted({row["slot"] for of_point in rows for row in of_point}, key=_place)
    bars = StackedBars(
        stacks=source.stacks,
        slots=tuple(written) if set(written) - set(_DIRECTIONS) else _DIRECTIONS,
        entries=LEDGER_ENTRIES,
        palette=LEDGER_ENTRIES,
        rows=rows,
        label="bytes offered in a run",
        unit="B",
        room=1.11,
        word=lambda direction, _: direction,
        tooltip=(
            Field("stack:N", title="stack"),
            Field("slot:N", title="direction"),
            Field("entry:N", title="for"),
            Field("text:N", title="bytes a run"),
            Field("share:N", title="of this direction"),
        ),
        legend=legend,
        remarks=[overload.remarks(point, source.stacks) for point in shown],
    )
    some = f" {len(shown)} of {len(points)} points are shown." if len(shown) < len(points) else ""
    completed = pl.concat(
        [point.rows.filter(pl.col("status") == "completed").select("run_id") for point in shown]
        or [pl.DataFrame({"run_id": []}, schema={"run_id": pl.String})]
    )
    return Figure(
        name=NAME,
        title=titled("What the bytes are for", part, source.study),
        reading=(
            "The IP bytes that a run offers to the path; up is away from the device. Payload "
            "is the first copy of each payload, everything else is what it costs to carry it."
            + some
        ),
        dataset="ledger.parquet",
        runs=completed["run_id"].n_unique(),
        interval="mean over the repetitions, no interval",
        panels=bars.panels([sentence_case(point.label) or "All runs" for point in shown]),
        legend="ledger",
        legend_entries=bars.shown,
    )


def _place(slot: str) -> tuple[str, bool]:
    """Put both directions of a path beside each other, up first."""
    path, _, direction = slot.rpartition(" ")
    return path, direction != "up"


def _rows(point: Point, source: ReportSource) -> list[dict[str, Any]]:
    completed = point.rows.filter(pl.col("status") == "completed").select("run_id", "stack")
    runs = dict(completed.group_by("stack").agg(pl.len()).iter_rows())
    sums = (
        source.ledger(completed["run_id"])
        .join(completed, on="run_id")
        .group_by("stack", "path", "direction", "layer", "cause")
        .agg(pl.col("bytes").sum())
        .filter(pl.col("bytes") > 0)
        .with_columns(total=pl.col("bytes").sum().over("stack", "path", "direction"))
        .sort("stack", "path", "direction", "layer", "cause")
    )
    several = sums["path"].n_unique() > 1
    return [
        {
            "stack": stack,
            "slot": f"{path} {direction}" if several else direction,
            "entry": ledger_entry(layer, cause) if (layer, cause) in LEDGER_KEYS else _OTHER,
            "value": count / runs[stack],
            "text": format_quantity(count / runs[stack], "B"),
            "share": format_quantity(count / total, "fraction"),
        }
        for stack, path, direction, layer, cause, count, total in sums.iter_rows()
    ]

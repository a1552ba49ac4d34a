"""The ledger: what the bytes on the wire were for, by layer, cause and direction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import Measure, number_axis
from lasthop.report.figures.figure import Figure, Panel, sentence_case, titled
from lasthop.report.points import Point, points_of, spread_over
from lasthop.report.quantities import format_quantity
from lasthop.report.source import ReportSource
from lasthop.report.styles import LEDGER_KEYS

NAME = "ledger"

_MOST_POINTS = 3
_ROW_HEIGHT = 26
_SLOTS = ("name", "up", "down")


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
    """Draw the bytes offered to the path, a bar a stack and direction."""
    points = points_of(source.runs, part)
    shown = spread_over(points, _MOST_POINTS)
    rows = [_rows(point, source) for point in shown]
    used = {row["entry"] for found in rows for row in found}
    entries = tuple(entry for entry in LEDGER_ENTRIES if entry in used)
    totals = [total for found in rows for total in _totals(found).values()]
    bars = _Bars(source.stacks, entries, max(totals, default=1.0), legend)
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
        panels=tuple(
            _panel(sentence_case(point.label) or "All runs", found, bars)
            for point, found in zip(shown, rows, strict=True)
        ),
        legend="ledger",
        legend_entries=entries,
    )


def _rows(point: Point, source: ReportSource) -> list[dict[str, Any]]:
    completed = point.rows.filter(pl.col("status") == "completed").select("run_id", "stack")
    runs = dict(completed.group_by("stack").agg(pl.len()).iter_rows())
    sums = (
        source.ledger(completed["run_id"])
        .join(completed, on="run_id")
        .group_by("stack", "direction", "layer", "cause")
        .agg(pl.col("bytes").sum())
        .filter(pl.col("bytes") > 0)
        .with_columns(total=pl.col("bytes").sum().over("stack", "direction"))
        .sort("stack", "direction", "layer", "cause")
    )
    return [
        {
            "stack": stack,
            "direction": direction,
            "entry": ledger_entry(layer, cause) if (layer, cause) in LEDGER_KEYS else _OTHER,
            "bytes": count / runs[stack],
            "text": format_quantity(count / runs[stack], "B"),
            "share": format_quantity(count / total, "fraction"),
        }
        for stack, direction, layer, cause, count, total in sums.iter_rows()
    ]


@dataclass(frozen=True, slots=True)
class _Bars:
    """What all panels share, so that their bars can be compared."""

    stacks: tuple[str, ...]
    entries: tuple[str, ...]
    largest: float
    legend: bool

    @property
    def measure(self) -> Measure:
        return Measure.of("bytes offered in a run", "B", [self.largest])

    @property
    def scale(self) -> alt.Scale:
        # A ninth more than the longest bar: room for the word at its end.
        return alt.Scale(domain=[0, self.largest * self.measure.factor * 1.11], nice=False)

    @property
    def colour(self) -> alt.Color:
        return alt.Color(
            "entry:N",
            scale=alt.Scale(domain=list(LEDGER_ENTRIES), range="ordinal"),
            legend=alt.Legend(values=list(self.entries), title=None) if self.legend else None,
        )


def _totals(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], float]:
    totals: dict[tuple[str, str], float] = {}
    for row in rows:
        key = (row["stack"], row["direction"])
        totals[key] = totals.get(key, 0.0) + row["bytes"]
    return totals


def _panel(title: str, rows: Sequence[Mapping[str, Any]], bars: _Bars) -> Panel:
    datasets = Datasets()
    totals = _totals(rows)
    factor = bars.measure.factor
    present = [stack for stack in bars.stacks if any(row["stack"] == stack for row in rows)]
    y = alt.Y(
        "stack:N",
        title=None,
        scale=alt.Scale(domain=present, paddingInner=0.25, paddingOuter=0.1),
        axis=None,
    )
    offset = alt.YOffset("direction:N", scale=alt.Scale(domain=list(_SLOTS), paddingInner=0.12))
    x = alt.X("size:Q", title=bars.measure.title, scale=bars.scale, axis=number_axis())
    drawn = [
        {**row, "size": row["bytes"] * factor, "order": LEDGER_ENTRIES.index(row["entry"])}
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
                alt.Tooltip("direction:N", title="direction"),
                alt.Tooltip("entry:N", title="for"),
                alt.Tooltip("text:N", title="bytes a run"),
                alt.Tooltip("share:N", title="of this direction"),
            ],
        )
    )
    ends = [
        {"stack": stack, "direction": direction, "size": total * factor}
        for (stack, direction), total in totals.items()
    ]
    directions = (
        alt.Chart(datasets.add(ends))
        .mark_text(align="left", dx=5)
        .encode(x=x, y=y, yOffset=offset, text="direction:N")
    )
    # The name stands above its bars, where a long one has room on a phone too.
    names = (
        alt.Chart(datasets.add([{"stack": stack, "direction": _SLOTS[0]} for stack in present]))
        .mark_text(align="left", baseline="middle", fontSize=12)
        .encode(x=alt.value(0), y=y, yOffset=offset, text="stack:N")
    )
    height = max(1, len(present)) * len(_SLOTS) * _ROW_HEIGHT
    chart = alt.LayerChart(layer=[segments, directions, names], height=height)
    return Panel(title, chart, datasets)

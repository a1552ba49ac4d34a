"""One run over time: how late each message was, what was lost, how many were under way."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from lasthop.answer.decision import Decision
from lasthop.answer.points import Point
from lasthop.answer.quantities import format_quantity
from lasthop.report.figures.crashes import crash_marks
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import AxisUnit, StackEncoding, number_axis, value_scale
from lasthop.report.figures.event_marks import RunEvents
from lasthop.report.figures.figure import Figure, Panel, ShownRun
from lasthop.report.figures.vega_lite import Chart, Field, Layer, Value, X, Y
from lasthop.report.source import ReportSource

NAME = "time-series"

_HEIGHT = 240
_MOST_MARKS = 800
_SLOWEST = 3
_NS = 1e-9
_LOST = "\N{MULTIPLICATION SIGN}"


def time_series(source: ReportSource, decision: Decision, *, legend: bool) -> Figure | None:
    """Draw the run of the best stack that has its slowest message, at the first point."""
    if not decision.points:
        return None
    point = decision.points[0]
    arms = [*point.ranked, *(excluded.arm for excluded in point.excluded)]
    stacks = [arm.stack for arm in arms] or list(source.stacks)
    found = next(
        (run for stack in stacks if (run := _Run.with_slowest_message(source, point.point, stack))),
        None,
    )
    if found is None:
        return None
    slowest = found.slowest_message
    told = "None arrived."
    commands: tuple[str, ...] = ()
    if slowest is not None:
        latency = format_quantity(slowest["latency_ms"], "ms")
        told = f"The slowest took {latency}; the command below tells why."
        commands = (source.explain_command(found.run_id, found.name_of(slowest)),)
    encoding = StackEncoding(source.stacks, (found.stack,), legend=legend, symbols=True)
    at = f" at {point.point.label}" if point.point.label else ""
    return Figure(
        name=NAME,
        title="One run over time",
        reading=(
            f"{found.stack}{at}, repetition {found.repetition}: a dot is a message, at the time "
            "it was due; a cross at the upper edge is one that never arrived. Of many messages "
            f"at a time the latest is drawn. {found.crashes_read}{found.events.words}{told}"
        ),
        dataset="messages.parquet",
        runs=1,
        interval="single messages, no interval",
        panels=(_latencies(found, encoding), _under_way(found, encoding)),
        legend="stacks",
        legend_entries=encoding.shown,
        commands=commands,
        shown_run=found.shown,
    )


_READ = (
    "group",
    "flow",
    "device",
    "message",
    "intended_ns",
    "delivered_ns",
    "latency_ms",
    "attempts",
)


@dataclass(frozen=True, slots=True)
class _Run:
    """The measured messages of one run, in the order in which they were due."""

    run_id: str
    stack: str
    repetition: int
    messages: pl.DataFrame
    device_events: str | None = None
    events: RunEvents = field(default_factory=RunEvents)

    @classmethod
    def with_slowest_message(cls, source: ReportSource, point: Point, stack: str) -> "_Run | None":
        """Find the run of a stack at a point that has its slowest message."""
        rows = point.rows.filter(stack=stack, status="completed")
        run_id = None if rows.is_empty() else source.run_with_slowest_message(rows["run_id"])
        if run_id is None:
            return None
        row = rows.filter(run_id=run_id).row(0, named=True)
        messages = source.messages(run_id, _READ).sort("intended_ns", "device", "message")
        return cls(
            run_id,
            stack,
            row["repetition"],
            messages,
            row.get("device_events"),
            RunEvents.of_spec(source.virtual_spec(run_id)),
        )

    @property
    def crashes_read(self) -> str:
        """What the lines of crashes are, where there are some."""
        return "A dashed line is a crash of a device. " if self.device_events else ""

    @property
    def slowest_message(self) -> dict[str, Any] | None:
        """The row of the message that took longest; None where none arrived."""
        arrived = self.messages.drop_nulls("latency_ms")
        if arrived.is_empty():
            return None
        return arrived.sort("latency_ms", descending=True, maintain_order=True).row(0, named=True)

    @property
    def shown(self) -> ShownRun:
        """The run, and its slowest messages, its median one and its first that never arrived."""
        arrived = self.messages.drop_nulls("latency_ms").sort(
            "latency_ms", descending=True, maintain_order=True
        )
        lost = self.messages.filter(pl.col("delivered_ns").is_null())
        telling = (arrived.head(_SLOWEST), arrived[arrived.height // 2 :].head(1), lost.head(1))
        rows = [row for table in telling for row in table.iter_rows(named=True)]
        instants = {self.name_of(row): int(row["intended_ns"]) for row in rows}
        return ShownRun(self.run_id, self.messages.height, tuple(instants), instants)

    def name_of(self, message: dict[str, Any]) -> str:
        """Name a message as `lasthop explain` reads it: with its flow where there are several."""
        if self._has_several("flow"):
            return f"{message['device']}:{message['flow']}:{message['message']}"
        name = f"{message['device']}:{message['message']}".removeprefix("0:")
        return f"{message['group']}/{name}" if self._has_several("group") else name

    def _has_several(self, column: str) -> bool:
        return column in self.messages.columns and self.messages[column].n_unique() > 1


def _latencies(run: _Run, encoding: StackEncoding) -> Panel:
    datasets = Datasets()
    drawn = _latest_of_each_bin(run.messages.drop_nulls("latency_ms"))
    latencies = drawn["latency_ms"].to_list()
    y_measure = AxisUnit.of("latency", "ms", latencies)
    scale, ticks = value_scale([value * y_measure.factor for value in latencies], from_zero=False)
    rows = [
        _row(message, run) | {"latency": message["latency_ms"] * y_measure.factor}
        for message in drawn.iter_rows(named=True)
    ]
    lost = _spread_over_time(run.messages.filter(pl.col("delivered_ns").is_null()))
    x = _time_axis()
    y = Y("latency:Q", title=y_measure.title, scale=scale, axis=number_axis(ticks))
    layers = []
    if rows:
        marks = Layer(datasets.add(rows)).marked("point", size=16, cursor="pointer")
        layers.append(
            marks.encoded(x=x, y=y, color=encoding.colour, shape=encoding.shape, tooltip=_TOOLTIP)
        )
    if not lost.is_empty():
        crosses = Layer(
            datasets.add([_row(message, run) for message in lost.iter_rows(named=True)])
        ).marked("text", text=_LOST, fontSize=13, baseline="top", style="lost", cursor="pointer")
        layers.append(crosses.encoded(x=x, y=Value(-4), tooltip=_TOOLTIP))
    layers += crash_marks(run.device_events, datasets, x=x)
    layers += run.events.layers(datasets, x=x)
    return Panel("Latency of each message", Chart(tuple(layers), height=_HEIGHT), datasets)


def _under_way(run: _Run, encoding: StackEncoding) -> Panel:
    """Count the messages that were due and had not arrived; lost ones are not among them.

    Of each stretch of time its mean is drawn, weighted by how long each count lasted.
    """
    arrived = run.messages.drop_nulls("delivered_ns")
    changes = (
        pl.concat(
            [
                arrived.select(at="intended_ns", change=pl.lit(1)),
                arrived.select(at="delivered_ns", change=pl.lit(-1)),
            ]
        )
        .sort("at", "change", descending=[False, True])
        .with_columns(waiting=pl.col("change").cum_sum())
    )
    rows = [
        {"time": at * _NS, "waiting": waiting, "stack": run.stack}
        for at, waiting in mean_of_each_stretch(changes)
    ]
    datasets = Datasets()
    y = Y("waiting:Q", title="mean of messages under way (count)", axis=number_axis())
    chart = (
        Layer(datasets.add(rows))
        .marked("line", interpolate="step-after", strokeWidth=1.5)
        .encoded(x=_time_axis(), y=y, color=encoding.colour, order=Field("time:Q"))
    )
    marks = run.events.layers(datasets, x=_time_axis())
    return Panel("Queue: due and not arrived", Chart((*marks, chart), height=_HEIGHT), datasets)


def _time_axis() -> X:
    return X("time:Q", title="time in the run (s)", axis=number_axis())


def _row(message: dict[str, Any], run: _Run) -> dict[str, Any]:
    return {
        "time": message["intended_ns"] * _NS,
        "stack": run.stack,
        "name": run.name_of(message),
        "message": f"device {message['device']}, message {message['message']}",
        "value": format_quantity(message["latency_ms"], "ms", missing="never arrived"),
        "attempts": message["attempts"],
    }


def _latest_of_each_bin(messages: pl.DataFrame) -> pl.DataFrame:
    """Keep the slowest message of each stretch of time, so that a city can be drawn too."""
    binned = messages.with_columns(_bin(messages["intended_ns"]))
    slowest = binned.sort("latency_ms", descending=True, maintain_order=True)
    return slowest.unique("bin", keep="first", maintain_order=True).sort("intended_ns")


def _spread_over_time(messages: pl.DataFrame) -> pl.DataFrame:
    binned = messages.with_columns(_bin(messages["intended_ns"]))
    return binned.unique("bin", keep="first", maintain_order=True).sort("intended_ns")


def mean_of_each_stretch(
    changes: pl.DataFrame, *, most: int = _MOST_MARKS
) -> list[tuple[float, float]]:
    """Give the beginning of each stretch of time, and the mean of a count over it.

    Parameters
    ----------
    changes
        Instants in order (``at``), and the count from each of them on (``waiting``).
    most
        How many stretches there are. Fewer instants than that are given as they are.

    Examples
    --------
    >>> changes = pl.DataFrame({"at": [0, 3, 3, 4], "waiting": [1, 7, 5, 0]})
    >>> mean_of_each_stretch(changes, most=2)
    [(0.0, 1.0), (2.0, 3.0), (4.0, 0.0)]
    >>> mean_of_each_stretch(changes)
    [(0.0, 1.0), (3.0, 5.0), (4.0, 0.0)]
    """
    exact = changes.unique("at", keep="last", maintain_order=True)
    if exact.height <= most:
        return [(float(at), float(waiting)) for at, waiting in exact.select("at", "waiting").rows()]
    at, waiting = exact["at"], exact["waiting"]
    first, last = int(at[0]), int(at[-1])
    area = (at.diff().fill_null(0) * waiting.shift(1).fill_null(0)).cum_sum()
    edges = pl.Series([first + (last - first) * place // most for place in range(most + 1)])
    before = at.search_sorted(edges, side="right") - 1
    until = area.gather(before) + waiting.gather(before) * (edges - at.gather(before))
    means = until.diff().slice(1) / edges.diff().slice(1)
    found = list(zip(map(float, edges[:-1]), means, strict=True))
    return [*found, (float(last), float(waiting[-1]))]


def _bin(times: pl.Series) -> pl.Series:
    first, last = times.min(), times.max()
    if not isinstance(first, int) or not isinstance(last, int):
        return pl.Series("bin", [], dtype=pl.Int64)
    width = max(1, math.ceil((last - first + 1) / _MOST_MARKS))
    return ((times - first) // width).alias("bin")


_TOOLTIP: Sequence[Field] = [
    Field("message:N", title="which"),
    Field("time:Q", title="due at (s)", format=".6~g"),
    Field("value:N", title="latency"),
    Field("attempts:Q", title="attempts by the application"),
]

"""Each crash of a device: when, why, for how long it was off, and what was lost with it."""

from collections.abc import Iterator
from itertools import islice

import polars as pl
from markupsafe import Markup

from lasthop.answer.arms import arms_of
from lasthop.answer.crashes import Crash, crashes_of
from lasthop.answer.points import Point, points_of
from lasthop.answer.quantities import NOTHING, format_quantity
from lasthop.report.markup import Styles, stack_name, table
from lasthop.report.section import Section
from lasthop.report.source import ReportSource
from lasthop.report.templating import render

_MOST_ROWS = 100
_READ = ("intended_ns", "delivered_ns", "status", "failure")
_SECOND_NS = 1_000_000_000
_HEAD = (
    *("Point", "Stack", "Run", "Who", "At", "Why", "Off for"),
    *("Lost of those under way", "Lost of those due meanwhile", "Why lost"),
)
_NUMERIC = (4, 6, 7, 8)
_RUN = 3
"""So many columns say which run it was."""
_WHY = {"heap": "no memory", "watchdog": "watchdog"}


def crashes_section(source: ReportSource, styles: Styles) -> Section | None:
    """Write a row for each crash, of the first hundred; nothing where there was none."""
    if "device_events" not in source.runs.columns:
        return None
    happened = source.runs.unique("run_id")["device_events"].to_list()
    total = sum(len(crashes_of(events)) for events in happened)
    if total == 0:
        return None
    rows = list(_said_once(islice(_rows(source, styles), _MOST_ROWS)))
    reading = (
        "A message counts as lost where it never arrived, whatever became of it: it was under way "
        "when the device crashed, or due before it was there again. Whether that is because of the "
        "crash, the reasons tell."
    )
    if total > len(rows):
        reading += f" These are the first {len(rows)} of {total}; device_events has each."
    body = render(
        "told_table.html",
        reading=reading,
        table=table([*_HEAD], rows, numeric=_NUMERIC, wide=(9,)),
    )
    digest = "1 crash" if total == 1 else f"{total} crashes"
    return Section("crashes", "Crashes of devices", digest, body)


def _rows(source: ReportSource, styles: Styles) -> Iterator[list[object]]:
    for part in source.study.get("parts") or ():
        for point in points_of(source.runs, part):
            for arm in arms_of(point.rows, source.stacks):
                yield from _of_arm(source, point, stack_name(arm.stack, styles), arm.completed)


def _said_once(rows: Iterator[list[object]]) -> Iterator[list[object]]:
    """Leave out which run it was where the row before is of the same."""
    before: list[object] = []
    for row in rows:
        which = row[:_RUN]
        yield [*("" for _ in which), *row[_RUN:]] if which == before else row
        before = which


def _of_arm(
    source: ReportSource, point: Point, stack: Markup, runs: pl.DataFrame
) -> Iterator[list[object]]:
    for row in runs.sort("repetition").iter_rows(named=True):
        found = crashes_of(row["device_events"])
        messages = source.messages(row["run_id"], _READ) if found else pl.DataFrame()
        for crash in found:
            yield [
                point.label or NOTHING,
                stack,
                row["repetition"],
                f"{crash.who} of host {crash.host}",
                format_quantity(crash.at_s, "s"),
                _WHY.get(crash.reason, crash.reason),
                "to the end" if crash.booted_s is None else _for(crash.at_s, crash.booted_s),
                *_lost(messages, crash),
            ]


def _for(at_s: float, booted_s: float) -> str:
    return format_quantity(booted_s - at_s, "s")


def _lost(messages: pl.DataFrame, crash: Crash) -> tuple[str, str, str]:
    """Say what was under way or due, how much of it never arrived, and why."""
    if messages.is_empty():
        return (NOTHING, NOTHING, NOTHING)
    at_ns = crash.at_s * _SECOND_NS
    due, delivered = pl.col("intended_ns"), pl.col("delivered_ns")
    is_open = delivered.is_null() | (delivered > at_ns)
    under_way = messages.filter(due < at_ns, is_open)
    meanwhile = messages.filter(due >= at_ns)
    if crash.booted_s is not None:
        meanwhile = meanwhile.filter(due < crash.booted_s * _SECOND_NS)
    lost = pl.concat((under_way, meanwhile)).filter(pl.col("delivered_ns").is_null())
    reasons = (
        lost.with_columns(pl.coalesce("failure", "status").alias("why"))
        .group_by("why", maintain_order=True)
        .len()
        .sort("len", "why", descending=[True, False])
    )
    why = ", ".join(f"{reason} {count}" for reason, count in reasons.iter_rows())
    return (_of(under_way), _of(meanwhile), why or NOTHING)


def _of(messages: pl.DataFrame) -> str:
    return f"{messages['delivered_ns'].null_count()} of {messages.height}"

"""Texts on a twin: values with intervals, and the causes of differing bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.answer.quantities import format_quantity
from lasthop.twin.verdict import TwinVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.statistics.intervals import Interval
    from lasthop.twin.gap import GapRow
    from lasthop.twin.row import TwinRow
    from lasthop.twin.twin import Twin

DISTANCE_HEAD = ("apart", "stack", "where it is largest", "limit", "verdict")
HEAD = ("metric", "virtual", "live", "live - virtual", "limit", "verdict")


def counts(twin: Twin) -> str:
    """Describe the number of metrics with each verdict."""
    judged = (it for it in TwinVerdict if it is not TwinVerdict.BOTH_NEVER)
    told = ", ".join(f"{twin.count(verdict)} {verdict.value}" for verdict in judged)
    never = twin.count(TwinVerdict.BOTH_NEVER)
    return f"{told}; {never} {TwinVerdict.BOTH_NEVER.value}" if never else told


def distances(twin: Twin) -> Iterator[tuple[str, ...]]:
    """Yield a row for each stack and place, with the columns of `DISTANCE_HEAD`.

    It is of the metric that is the most times its limit apart.
    """
    cases: dict[tuple[str, str], list[TwinRow]] = {}
    for row in twin.rows:
        cases.setdefault((row.place, row.stack), []).append(row)
    farthest = [max(rows, key=lambda row: row.limits_apart) for rows in cases.values()]
    for row in sorted(farthest, key=lambda row: -row.limits_apart):
        virtual, live = (_value(it, row.unit) for it in (row.virtual, row.live))
        where = f"{row.metric}: {virtual} simulated, {live} live"
        limit = row.limit.in_words(row.unit)
        yield _apart(row), row.stack, where, limit, _worst(cases[row.place, row.stack]).value
    for missing in twin.missing:
        yield "not run", missing.stack, missing.reason, "", ""


def _value(found: Interval, unit: str) -> str:
    if found.unreached:
        return _never(found)
    return format_quantity(found.mean, unit, missing="never")


def _never(found: Interval) -> str:
    """Describe in how many runs a percentile was not reached."""
    if found.unreached == found.repetitions:
        return "never"
    return f"never in {found.unreached} of {found.repetitions} runs"


def _apart(row: TwinRow) -> str:
    """Describe the difference: shares in points, others relative to the simulated value."""
    apart, virtual = row.difference.mean, row.virtual.mean
    if row.verdict is TwinVerdict.BOTH_NEVER:
        return str(row.verdict.value)
    if row.virtual.unreached or row.live.unreached:
        return "not known"
    if row.unit == "fraction":
        return f"{100 * apart:+.1f} points"
    return f"{100 * apart / virtual:+.1f} %" if virtual else f"{apart:+g} {row.unit}"


def _worst(rows: Sequence[TwinRow]) -> TwinVerdict:
    found = {row.verdict for row in rows}
    order = (TwinVerdict.OUTSIDE, TwinVerdict.UNDECIDED, TwinVerdict.INSIDE, TwinVerdict.BOTH_NEVER)
    return next(verdict for verdict in order if verdict in found)


def cells(row: TwinRow) -> tuple[str, ...]:
    """Return the cells of a metric, with the columns of `HEAD`."""
    worlds = (with_interval(value, row.unit) for value in (row.virtual, row.live))
    is_known = not (row.virtual.unreached or row.live.unreached)
    difference = with_interval(row.difference, row.unit) if is_known else ""
    return (row.metric, *worlds, difference, row.limit.in_words(row.unit), row.verdict.value)


def with_interval(found: Interval, unit: str) -> str:
    """Format a mean with its interval, with as many digits as the interval justifies.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> with_interval(interval([1.0, 1.0]), "fraction")
    '100 %'
    """
    factor, unit = (100.0, "%") if unit == "fraction" else (1.0, unit)
    if found.unreached:
        return _never(found)
    if not math.isfinite(found.mean):
        return "not known"
    if found.low == found.high:
        return f"{factor * found.mean:.6g} {unit}".rstrip()
    width = factor * max(found.high - found.mean, found.mean - found.low)
    digits = max(0, 1 - math.floor(math.log10(width))) if math.isfinite(width) else 0
    ends = f"{factor * found.low:.{digits}f} to {factor * found.high:.{digits}f}"
    return f"{factor * found.mean:.{digits}f} {unit} ({ends})"


def gap_in_words(rows: Sequence[GapRow]) -> str:
    """Describe the differing bytes by direction, layer and cause, and their sum."""
    parts = [
        f"{row.direction} {row.layer} {row.cause} {row.gap_bytes:+g} B"
        for row in rows
        if row.gap_bytes
    ]
    total = math.fsum(row.gap_bytes for row in rows)
    return f"bytes live less virtual, a run: {total:+g} B = {'; '.join(parts) or 'nothing'}"

"""A twin in words: values with their intervals, and where the bytes of its gap are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.answer.quantities import format_quantity
from lasthop.twin.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.statistics.intervals import Interval
    from lasthop.twin.gap import GapRow
    from lasthop.twin.row import TwinRow
    from lasthop.twin.twin import Twin

DISTANCE_HEAD = ("apart", "stack", "where it is largest", "limit", "verdict")
HEAD = ("metric", "virtual", "live", "live - virtual", "limit", "verdict")


def counts(twin: Twin) -> str:
    """Count the verdicts."""
    return ", ".join(f"{twin.count(verdict)} {verdict.value}" for verdict in Verdict)


def distances(twin: Twin) -> Iterator[tuple[str, ...]]:
    """Give what stands below `DISTANCE_HEAD`: a line a stack and place, the farthest apart first.

    It is of the metric that is the most times its limit apart.
    """
    cases: dict[tuple[str, str], list[TwinRow]] = {}
    for row in twin.rows:
        cases.setdefault((row.place, row.stack), []).append(row)
    farthest = [max(rows, key=lambda row: row.limits_apart) for rows in cases.values()]
    for row in sorted(farthest, key=lambda row: -row.limits_apart):
        virtual, live = (
            format_quantity(it.mean, row.unit, missing="never") for it in (row.virtual, row.live)
        )
        where = f"{row.metric}: {virtual} simulated, {live} live"
        limit = row.limit.in_words(row.unit)
        yield _apart(row), row.stack, where, limit, _worst(cases[row.place, row.stack]).value
    for missing in twin.missing:
        yield "not run", missing.stack, missing.reason, "", ""


def _apart(row: TwinRow) -> str:
    """Say by how much live differs: a share by points, all else by its share of the simulated."""
    apart, virtual = row.difference.mean, row.virtual.mean
    if not math.isfinite(apart) or not math.isfinite(virtual):
        return "0 %" if row.limits_apart == 0 else "without end"
    if row.unit == "fraction":
        return f"{100 * apart:+.1f} points"
    return f"{100 * apart / virtual:+.1f} %" if virtual else f"{apart:+g} {row.unit}"


def _worst(rows: Sequence[TwinRow]) -> Verdict:
    found = {row.verdict for row in rows}
    order = (Verdict.OUTSIDE, Verdict.UNDECIDED, Verdict.INSIDE)
    return next(verdict for verdict in order if verdict in found)


def cells(row: TwinRow) -> tuple[str, ...]:
    """Give what stands below `HEAD`."""
    ends = (row.virtual, row.live, row.difference)
    found = (with_interval(value, row.unit) for value in ends)
    return (row.metric, *found, row.limit.in_words(row.unit), row.verdict.value)


def with_interval(found: Interval, unit: str) -> str:
    """Write a mean, and its interval to the digits that this allows.

    Examples
    --------
    >>> from lasthop.statistics.intervals import interval
    >>> with_interval(interval([1.0, 1.0]), "fraction")
    '100 %'
    """
    factor, unit = (100.0, "%") if unit == "fraction" else (1.0, unit)
    if not math.isfinite(found.mean):
        return "never"
    if found.low == found.high:
        return f"{factor * found.mean:.6g} {unit}".rstrip()
    width = factor * max(found.high - found.mean, found.mean - found.low)
    digits = max(0, 1 - math.floor(math.log10(width))) if math.isfinite(width) else 0
    ends = f"{factor * found.low:.{digits}f} to {factor * found.high:.{digits}f}"
    return f"{factor * found.mean:.{digits}f} {unit} ({ends})"


def gap_in_words(rows: Sequence[GapRow]) -> str:
    """List the bytes by which the worlds differ; what is listed adds up to what stands first."""
    parts = [
        f"{row.direction} {row.layer} {row.cause} {row.gap_bytes:+g} B"
        for row in rows
        if row.gap_bytes
    ]
    total = math.fsum(row.gap_bytes for row in rows)
    return f"bytes live less virtual, a run: {total:+g} B = {'; '.join(parts) or 'nothing'}"

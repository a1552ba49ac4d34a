"""A twin in words: values with their intervals, and where the bytes of its gap are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.twin.twin import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.statistics.intervals import Interval
    from lasthop.twin.gap import GapRow
    from lasthop.twin.twin import Twin, TwinRow

HEAD = ("metric", "virtual", "live", "live - virtual", "limit", "verdict")


def counts(twin: Twin) -> str:
    """Count the verdicts."""
    return ", ".join(f"{twin.count(verdict)} {verdict.value}" for verdict in Verdict)


def cells(row: TwinRow) -> tuple[str, ...]:
    """Give what stands below `HEAD`."""
    ends = (row.virtual, row.live, row.difference)
    found = (with_interval(value, row.unit) for value in ends)
    return (row.metric, *found, row.limit, row.verdict.value)


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

"""A twin as plain values, for `lasthop run --engine both --json`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from lasthop.statistics.intervals import Interval
    from lasthop.twin.row import TwinRow
    from lasthop.twin.twin import Missing, Twin, TwinGap


def plain(twin: Twin, programs: pl.DataFrame) -> dict[str, Any]:
    """Return rows, gaps, missing runs and software as plain values. None is infinite.

    Parameters
    ----------
    twin
        Both worlds.
    programs
        The `programs` table of the live results.
    """
    return {
        "rows": [_row(row) for row in twin.rows],
        "gaps": [_gap(gap) for gap in twin.gaps],
        "missing": [_missing(it) for it in twin.missing],
        "software": [_software(of) for _, of in programs.group_by("software", maintain_order=True)],
    }


def _row(row: TwinRow) -> dict[str, Any]:
    return {
        "place": row.place,
        "stack": row.stack,
        "metric": row.metric,
        "unit": row.unit,
        "repetitions": row.difference.repetitions,
        "virtual": _ends(row.virtual),
        "live": _ends(row.live),
        "difference": _ends(row.difference),
        "limit": row.limit.in_words(row.unit),
        "verdict": row.verdict.value,
    }


def _ends(found: Interval) -> dict[str, float | None]:
    ends = {"mean": found.mean, "low": found.low, "high": found.high}
    return {name: end if math.isfinite(end) else None for name, end in ends.items()}


def _gap(gap: TwinGap) -> dict[str, Any]:
    return {
        "place": gap.place,
        "stack": gap.stack,
        "virtual_bytes": math.fsum(row.virtual_bytes for row in gap.rows),
        "live_bytes": math.fsum(row.live_bytes for row in gap.rows),
        "bytes": gap.gap_bytes,
    }


def _missing(it: Missing) -> dict[str, str]:
    return {"place": it.place, "stack": it.stack, "status": it.status, "reason": it.reason}


def _software(runs: pl.DataFrame) -> dict[str, Any]:
    return {
        "name": runs["software"][0],
        "version": runs["version"][0],
        "runs": runs.height,
        "most_attempts": runs["attempt"].max(),
        "most_cpu_pressure": runs["cpu_pressure"].max(),
    }

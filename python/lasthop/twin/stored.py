"""Stores a twin as tables: metrics, and bytes by layer and cause."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lasthop.results.atomic import environment, replacement
from lasthop.results.schema import Column, Schema

if TYPE_CHECKING:
    from pathlib import Path

    from lasthop.statistics.intervals import Interval
    from lasthop.twin.twin import Twin

TWIN = "twin.parquet"
BYTES = "twin_bytes.parquet"

_ENDS = ("mean", "low", "high")
_TWIN = Schema(
    [
        *(Column(name, "string") for name in ("place", "stack", "metric", "unit")),
        *(
            Column(f"{which}_{end}", "float64")
            for which in ("virtual", "live", "difference")
            for end in _ENDS
        ),
        Column("virtual_runs", "int64"),
        Column("live_runs", "int64"),
        Column("limit", "string"),
        Column("verdict", "string"),
    ]
)
_BYTES = Schema(
    [
        *(Column(name, "string") for name in ("place", "stack", "direction", "layer")),
        Column("cause", "string"),
        *(Column(f"{which}_bytes", "float64") for which in ("virtual", "live", "gap")),
    ]
)


def store(twin: Twin, folder: Path) -> None:
    """Write both tables. Bytes are means over runs."""
    rows = [
        {
            "place": row.place,
            "stack": row.stack,
            "metric": row.metric,
            "unit": row.unit,
            **_cells("virtual", row.virtual),
            **_cells("live", row.live),
            **_cells("difference", row.difference),
            "virtual_runs": row.virtual.repetitions,
            "live_runs": row.live.repetitions,
            "limit": row.limit.in_words(row.unit),
            "verdict": row.verdict.value,
        }
        for row in twin.rows
    ]
    parts = [
        {
            "place": gap.place,
            "stack": gap.stack,
            "direction": row.direction,
            "layer": row.layer,
            "cause": row.cause,
            "virtual_bytes": row.virtual_bytes,
            "live_bytes": row.live_bytes,
            "gap_bytes": row.gap_bytes,
        }
        for gap in twin.gaps
        for row in gap.rows
    ]
    for name, content, schema in ((TWIN, rows, _TWIN), (BYTES, parts, _BYTES)):
        with environment(folder), replacement(folder / name) as temporary:
            schema.table(content).write_parquet(temporary, metadata=dict(schema.metadata))


def _cells(name: str, found: Interval) -> dict[str, Any]:
    ends = {"mean": found.mean, "low": found.low, "high": found.high}
    return {f"{name}_{end}": value if math.isfinite(value) else None for end, value in ends.items()}

"""Which servers evicted peers for want of room, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_COLUMNS = ("stack", "run_id", "status", "peers_evicted")


def evictions(folders: Iterable[Path]) -> Iterable[str]:
    """Name the stacks whose servers evicted peers: in how many runs, and how many at most."""
    tables = [table for folder in folders if (table := _runs(folder)) is not None]
    if not tables:
        return
    by_stack = (
        pl.concat(tables)
        .group_by("stack", maintain_order=True)
        .agg(
            runs=pl.len(),
            evicting=(pl.col("peers_evicted") > 0).sum(),
            most=pl.col("peers_evicted").max(),
        )
        .filter(pl.col("evicting") > 0)
    )
    for row in by_stack.iter_rows(named=True):
        yield (
            f"servers of {row['stack']} evicted peers to make room for others in "
            f"{row['evicting']} of {row['runs']} runs, up to {row['most']} in a run; an evicted "
            "device needs a new session. peers_evicted has each run; write a larger peers"
        )


def _runs(folder: Path) -> pl.DataFrame | None:
    """Give the completed runs whose servers were simulated."""
    file = folder / "runs.parquet"
    if not file.exists():
        return None
    table = pl.scan_parquet(file)
    if not set(_COLUMNS) <= set(table.collect_schema().names()):
        return None
    return (
        table.select(_COLUMNS)
        .filter(pl.col("status") == "completed", pl.col("peers_evicted").is_not_null())
        .unique("run_id", maintain_order=True)
        .collect()
    )

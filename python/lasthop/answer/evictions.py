"""Servers that evicted peers because they had no room for more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lasthop.answer.completed_runs import completed_runs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_COLUMNS = ("stack", "run_id", "status", "peers_evicted")


def evictions(folders: Iterable[Path]) -> Iterable[str]:
    """Name the stacks whose servers evicted peers, with the number of runs and the maximum."""
    tables = [
        table
        for folder in folders
        if (table := completed_runs(folder, _COLUMNS, having="peers_evicted")) is not None
    ]
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

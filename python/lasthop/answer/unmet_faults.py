"""Faults that met no message, so that the stack ran without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_FAULT = "fault"
"""The reason for which a packet is lost that a fault was aimed at."""


def unmet_faults(folders: Iterable[Path], study: Mapping[str, Any]) -> Iterable[str]:
    """Name the stacks in whose runs, all or some, no fault met a packet.

    A part of the study in which no fault meets a stack is left out if one does in another part:
    faults are those of the whole study, and such a part is there to compare with.
    """
    faults = (study.get("conditions") or {}).get("faults")
    found = [_runs(folder) for folder in folders if faults]
    tables = [table for table in found if table is not None]
    if not tables:
        return
    rows = pl.concat(tables)
    is_met_by_part = pl.col("met").any().over("stack", "part")
    is_met_anywhere = pl.col("met").any().over("stack")
    stacks = (
        rows.filter(is_met_by_part | ~is_met_anywhere)
        .group_by("stack", maintain_order=True)
        .agg(runs=pl.len(), unmet=(~pl.col("met")).sum())
    )
    for row in stacks.filter(pl.col("unmet") > 0).iter_rows(named=True):
        yield (
            f"no fault met a packet of {row['stack']} in {row['unmet']} of {row['runs']} runs, "
            f"which are as if there were none of: {faults}"
        )


def _runs(folder: Path) -> pl.DataFrame | None:
    """Give the completed runs of a folder, and whether a fault met something in each."""
    files = (folder / "runs.parquet", folder / "packets.parquet")
    if not all(file.exists() for file in files):
        return None
    runs, packets = map(pl.scan_parquet, files)
    met = packets.filter(pl.col("reason") == _FAULT).select("run_id").unique()
    return (
        runs.filter(pl.col("status") == "completed")
        .unique("run_id", maintain_order=True)
        .select("run_id", "stack", "part")
        .join(met.with_columns(met=True), on="run_id", how="left", maintain_order="left")
        .select("stack", "part", pl.col("met").fill_null(value=False))
        .collect()
    )

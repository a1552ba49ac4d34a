"""The completed runs of a folder that have something, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def completed_runs(folder: Path, columns: Sequence[str], *, having: str) -> pl.DataFrame | None:
    """Read columns of the completed runs that have a value in one of them.

    Parameters
    ----------
    columns
        With ``run_id``, ``status`` and that which a run is to have.

    Returns
    -------
    polars.DataFrame or None
        A row for each run; None where there is no table, or one of before these columns.
    """
    file = folder / "runs.parquet"
    if not file.exists():
        return None
    table = pl.scan_parquet(file)
    if not set(columns) <= set(table.collect_schema().names()):
        return None
    return (
        table.select(columns)
        .filter(pl.col("status") == "completed", pl.col(having).is_not_null())
        .unique("run_id", maintain_order=True)
        .collect()
    )

"""A Parquet file, a few rows at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl


def row_groups(
    path: Path, *, rows: int, columns: Sequence[str] | None = None
) -> Iterator[pl.DataFrame]:
    """Read so many rows after the other: those of a row group, if it was written with as many."""
    file = pl.scan_parquet(path, glob=False)
    chosen = file if columns is None else file.select(columns)
    for start in range(0, row_count(path), rows):
        yield chosen.slice(start, rows).collect(engine="in-memory")


def row_count(path: Path) -> int:
    """Count the rows of a file from its footer."""
    return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())

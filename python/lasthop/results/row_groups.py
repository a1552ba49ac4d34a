"""Reads a Parquet file in batches of rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl


def row_groups(
    path: Path, *, rows: int, columns: Sequence[str] | None = None
) -> Iterator[pl.DataFrame]:
    """Yield batches of rows, each a row group if the sizes agree."""
    file = pl.scan_parquet(path, glob=False)
    chosen = file if columns is None else file.select(columns)
    for start in range(0, row_count(path), rows):
        yield chosen.slice(start, rows).collect(engine="in-memory")


def row_count(path: Path) -> int:
    """Return the number of rows from the footer of a file."""
    return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())

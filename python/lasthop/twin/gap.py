"""The bytes by which a live run differs from its virtual twin, by cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYS = ("direction", "layer", "cause")


@dataclass(frozen=True, slots=True)
class GapRow:
    """Mean bytes of a run in one direction, layer and cause, in both worlds."""

    direction: str
    layer: str
    cause: str
    virtual_bytes: float
    live_bytes: float

    @property
    def gap_bytes(self) -> float:
        """Return the additional bytes of the live runs."""
        return self.live_bytes - self.virtual_bytes


def offered(ledger: pl.DataFrame, run_ids: Sequence[str]) -> pl.DataFrame:
    """Return the bytes offered to the paths by direction, layer and cause."""
    chosen = ledger.filter(pl.col("run_id").is_in(list(run_ids)), pl.col("fate") == "offered")
    # Two programs have one run between them where the same model stands for both.
    chosen = chosen.unique()
    return chosen.group_by(_KEYS).agg(pl.col("bytes").sum())


def gap(virtual: pl.DataFrame, live: pl.DataFrame, *, runs: tuple[int, int]) -> list[GapRow]:
    """Return the differences by layer and cause, which add up to the total difference.

    Parameters
    ----------
    virtual, live
        Bytes of each world, from `offered`.
    runs
        Number of runs in each world.
    """
    both = virtual.join(live, on=_KEYS, how="full", coalesce=True, suffix="_live")
    rows = both.fill_null(0).sort(_KEYS).iter_rows(named=True)
    return [
        GapRow(
            direction=row["direction"],
            layer=row["layer"],
            cause=row["cause"],
            virtual_bytes=row["bytes"] / runs[0],
            live_bytes=row["bytes_live"] / runs[1],
        )
        for row in rows
    ]

"""Runs laid out by group, stratum and flow, each with its own figures."""

from collections.abc import Callable

import polars as pl

from lasthop.answer.effective_samples import EFFECTIVE
from lasthop.answer.projection import DESCRIBING
from lasthop.errors import UsageError
from lasthop.measures import COLUMNS
from lasthop.measures.groups import PLACE, WHOLE

ReadGroups = Callable[[], pl.DataFrame]
"""Reads ``groups.parquet``."""

_MEASURED = frozenset(column.name for column in COLUMNS if column.is_measured).union(EFFECTIVE)
_AS_OF_RUNS = {"energy_total_j": "energy_j"}


def no_groups() -> pl.DataFrame:
    """Refuse to judge groups where no table of them was kept.

    Raises
    ------
    UsageError
        Always.
    """
    raise UsageError(
        "the results have no groups.parquet, so groups cannot be judged; run the study again"
    )


def rows_by_group(runs: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Lay out runs as often as they have groups, strata and flows, each with its own figures.

    A run that has none, since it did not complete, stands at every place. A place is none where
    nobody takes part: in a flow of a share of a group, of a stratum with few devices, say. Columns
    that are not measured by group are gone.
    """
    known = groups.rename(_AS_OF_RUNS).with_columns(pl.col("stratum").fill_null(WHOLE))
    places = known.select(PLACE).unique(maintain_order=True)
    described = runs.select(
        name for name in runs.columns if name in DESCRIBING or name not in _MEASURED
    )
    everywhere = described.join(places, how="cross", maintain_order="left_right")
    measured = everywhere.join(
        known, on=["run_id", *PLACE], how="left", maintain_order="left", coalesce=True
    )
    return measured.filter((pl.col("devices") > 0) | (pl.col("status") != "completed"))

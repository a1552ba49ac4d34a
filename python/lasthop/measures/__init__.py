"""The measures of a run: one entry for each column of ``runs.parquet``."""

from lasthop.measures.lookup import column_of, measure, named, resolve_column
from lasthop.measures.measure import (
    Direction,
    FleetNeed,
    FleetRule,
    Kind,
    MadeOf,
    Measure,
    Origin,
    Ratio,
    Trials,
)
from lasthop.measures.radio import ENERGY_CAUSES, RADIO_STATES
from lasthop.measures.registry import COLUMNS, DERIVED

__all__ = [
    "COLUMNS",
    "DERIVED",
    "ENERGY_CAUSES",
    "RADIO_STATES",
    "Direction",
    "FleetNeed",
    "FleetRule",
    "Kind",
    "MadeOf",
    "Measure",
    "Origin",
    "Ratio",
    "Trials",
    "column_of",
    "measure",
    "named",
    "resolve_column",
]

"""A radio network along a sweep: throughput of a device and of a cell, availability, coverage."""

import polars as pl

from lasthop.report.columns import column_of
from lasthop.report.figures.along_sweep import SweepFigure

_FIGURES = (
    ("device-throughput", "Throughput of a device", "device_throughput_bit_s", True),
    ("cell-throughput", "Throughput of a cell", "cell_throughput_bit_s", True),
    ("availability", "Availability", "availability_20s", False),
    ("coverage", "Coverage", "lowest_path_gain_served_db", False),
)


def network_figures(runs: pl.DataFrame) -> tuple[SweepFigure, ...]:
    """Return a figure for each of these measures that any run has; none without a network."""
    return tuple(
        SweepFigure(name=name, title=title, columns=(column_of(column),), from_zero=from_zero)
        for name, title, column, from_zero in _FIGURES
        if column in runs.columns and runs[column].is_not_null().any()
    )

"""A radio network along a sweep: throughput, availability, coverage, occupied channels."""

import polars as pl

from lasthop.measures import measure
from lasthop.report.figures.along_sweep import SweepFigure

_FIGURES = (
    ("device-throughput", "Throughput of a device", ("device_throughput_bit_s",), True),
    ("cell-throughput", "Throughput of a cell", ("cell_throughput_bit_s",), True),
    ("availability", "Availability", ("availability_20s",), False),
    ("coverage", "Coverage", ("lowest_path_gain_served_db",), False),
    (
        "occupancy",
        "Occupied channels",
        tuple(f"occupancy_{channel}_ratio" for channel in ("npdcch", "npdsch", "npusch")),
        True,
    ),
)


def network_figures(runs: pl.DataFrame) -> tuple[SweepFigure, ...]:
    """Return a figure for each of these measures that any run has; none without a network."""
    return tuple(
        SweepFigure(
            name=name,
            title=title,
            columns=tuple(map(measure, columns)),
            from_zero=from_zero,
        )
        for name, title, columns, from_zero in _FIGURES
        if any(column in runs.columns and runs[column].is_not_null().any() for column in columns)
    )

"""A radio network along a sweep: throughput, availability, coverage, occupied channels."""

from lasthop.measures import measure
from lasthop.report.figures.along_sweep import SweepFigure
from lasthop.report.source import ReportSource

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


def network_figures(source: ReportSource) -> tuple[SweepFigure, ...]:
    """Return a figure for each radio network measure that a run has."""
    return tuple(
        SweepFigure(
            name=name,
            title=title,
            columns=tuple(map(measure, columns)),
            from_zero=from_zero,
        )
        for name, title, columns, from_zero in _FIGURES
        if any(_has(source, column) for column in columns)
        and not (name == "coverage" and _states_coupling_loss(source))
    )


def _has(source: ReportSource, column: str) -> bool:
    return column in source.runs.columns and bool(source.runs[column].is_not_null().any())


def _states_coupling_loss(source: ReportSource) -> bool:
    """Tell whether the study says how far its devices are: then coverage would repeat it."""
    parts = source.study.get("parts") or ()
    return any(
        swept["key"] == "path.nbiot.coupling_loss" for part in parts for swept in part["swept"]
    )

"""Bytes along a sweep: what crosses the device's path, and how much of it is not payload."""

from lasthop.report.columns import column_of
from lasthop.report.figures.along_sweep import SweepFigure

_COLUMNS = ("control_bytes_per_100", "wire_bytes_up_offered", "wire_bytes_down_offered")


def bytes_figure() -> SweepFigure:
    """Return the bytes figure."""
    return SweepFigure(
        name="bytes",
        title="Bytes on the wire",
        columns=tuple(column_of(name) for name in _COLUMNS),
        from_zero=True,
    )

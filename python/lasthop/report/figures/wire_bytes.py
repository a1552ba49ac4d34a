"""Bytes along a sweep: what crosses the device's path, and how much of it is not payload."""

from collections.abc import Iterable

from lasthop.measures import column_of, measure
from lasthop.report.figures.along_sweep import SweepFigure

_ALWAYS = (
    measure("control_bytes_per_100"),
    measure("wire_bytes_up_offered"),
    measure("wire_bytes_down_offered"),
)


def bytes_figure(claimed: Iterable[str]) -> SweepFigure:
    """Return the bytes figure; bytes that are claimed get panels too."""
    asked = (column for column in map(column_of, claimed) if column.unit == "B")
    return SweepFigure(
        name="bytes",
        title="Bytes on the wire",
        columns=tuple(dict.fromkeys((*_ALWAYS, *asked))),
        from_zero=True,
    )

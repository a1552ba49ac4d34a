"""Bytes along a sweep: what crosses the device's path, and how much of it is not payload."""

from collections.abc import Iterable

from lasthop.report.columns import column_of
from lasthop.report.figures.along_sweep import SweepFigure

_COLUMNS = ("control_bytes_per_100", "wire_bytes_up_offered", "wire_bytes_down_offered")
_FAMILIES = ("control_bytes_", "wire_bytes_")


def bytes_figure(claimed: Iterable[str]) -> SweepFigure:
    """Return the bytes figure; bytes that are claimed get panels too."""
    asked = (name for name in claimed if name.startswith(_FAMILIES))
    names = dict.fromkeys((*_COLUMNS, *asked))
    return SweepFigure(
        name="bytes",
        title="Bytes on the wire",
        columns=tuple(column_of(name) for name in names),
        from_zero=True,
    )

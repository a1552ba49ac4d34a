"""Latency along a sweep: the median, the tail, and whatever else the study decides by."""

from lasthop.report.columns import Column, column_of
from lasthop.report.figures.along_sweep import SweepFigure

_ALWAYS = ("latency_p50_ms", "latency_p95_ms")


def latency_figure(objective: Column | None) -> SweepFigure:
    """Return the latency figure; a latency that the study decides by gets a panel too."""
    decided_by = objective.name if objective and objective.name.startswith("latency_") else None
    names = _ALWAYS if decided_by in {None, *_ALWAYS} else (*_ALWAYS, decided_by)
    return SweepFigure(
        name="latency",
        title="Latency",
        columns=tuple(column_of(name) for name in names if name),
        from_zero=False,
    )

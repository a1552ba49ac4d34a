"""Latency along a sweep: the median, the tail, and whatever else is asked for."""

from collections.abc import Iterable

from lasthop.report.columns import Column, column_of
from lasthop.report.figures.along_sweep import SweepFigure

_ALWAYS = ("latency_p50_ms", "latency_p95_ms")


def latency_figure(objective: Column | None, claimed: Iterable[str]) -> SweepFigure:
    """Return the latency figure; latencies that are decided by or claimed get panels too."""
    asked = [*([objective.name] if objective else []), *claimed]
    names = dict.fromkeys((*_ALWAYS, *(name for name in asked if name.startswith("latency_"))))
    return SweepFigure(
        name="latency",
        title="Latency",
        columns=tuple(column_of(name) for name in names),
        from_zero=False,
    )

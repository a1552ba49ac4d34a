"""Latency along a sweep: the median, the tail and other requested columns."""

from collections.abc import Iterable

from lasthop.measures import Measure, column_of, measure
from lasthop.report.figures.along_sweep import SweepFigure

_ALWAYS = (measure("latency_p50_ms"), measure("latency_p95_ms"))


def latency_figure(objective: Measure | None, claimed: Iterable[str]) -> SweepFigure:
    """Return the latency figure; latencies that are decided by or claimed get panels too."""
    asked = [*([objective] if objective else []), *map(column_of, claimed)]
    latencies = (column for column in asked if column.is_infinite_when_missing)
    return SweepFigure(
        name="latency",
        title="Latency",
        columns=tuple(dict.fromkeys((*_ALWAYS, *latencies))),
        from_zero=False,
    )

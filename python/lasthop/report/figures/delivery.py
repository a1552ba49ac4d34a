"""Delivery along a sweep: the share of the offered messages that arrived."""

from lasthop.measures import measure
from lasthop.report.figures.along_sweep import SweepFigure


def delivery_figure() -> SweepFigure:
    """Return the delivery figure."""
    return SweepFigure(
        name="delivery",
        title="Delivery",
        columns=(measure("delivery_ratio"),),
        from_zero=True,
    )

"""Delivery along a sweep: the share of the offered messages that arrived."""

from lasthop.report.columns import column_of
from lasthop.report.figures.along_sweep import SweepFigure


def delivery_figure() -> SweepFigure:
    """Return the delivery figure."""
    return SweepFigure(
        name="delivery",
        title="Delivery",
        columns=(column_of("delivery_ratio"),),
        from_zero=True,
    )

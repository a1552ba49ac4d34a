"""The figures of a report."""

from lasthop.report.figures.all_figures import all_figures
from lasthop.report.figures.figure import Figure, Panel, export_spec, panel_spec

__all__ = ["Figure", "Panel", "all_figures", "export_spec", "panel_spec"]

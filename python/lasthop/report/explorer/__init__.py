"""The explorer: the answer at a point and under requirements that the reader chooses."""

from lasthop.report.explorer.data import explorer_data
from lasthop.report.explorer.section import explorer_section

__all__ = ["explorer_data", "explorer_section"]

"""Fits a study to a packet capture: its traffic, stack and path."""

from lasthop.fitting.fit import Fit, fit_capture
from lasthop.fitting.written import compose

__all__ = ["Fit", "compose", "fit_capture"]

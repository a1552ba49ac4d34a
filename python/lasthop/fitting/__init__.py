"""A study from a capture: what can be read of its traffic, its stack and its path."""

from lasthop.fitting.fit import Fit, fit_capture
from lasthop.fitting.written import compose

__all__ = ["Fit", "compose", "fit_capture"]

"""A study simulated and on real software: their differences against limits."""

from lasthop.twin.row import TwinRow
from lasthop.twin.twin import UNSUPPORTED, Twin, World
from lasthop.twin.verdict import TwinVerdict

__all__ = ["UNSUPPORTED", "Twin", "TwinRow", "TwinVerdict", "World"]

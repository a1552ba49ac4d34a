"""Twins: a study both simulated and on real software, with limits for the differences."""

from lasthop.twin.row import TwinRow
from lasthop.twin.twin import UNSUPPORTED, Twin, World
from lasthop.twin.verdict import TwinVerdict

__all__ = ["UNSUPPORTED", "Twin", "TwinRow", "TwinVerdict", "World"]

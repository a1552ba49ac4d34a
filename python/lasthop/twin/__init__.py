"""One study simulated and on real software: how far the two are apart, and whether that is far."""

from lasthop.twin.row import TwinRow
from lasthop.twin.twin import UNSUPPORTED, Twin, World
from lasthop.twin.verdict import TwinVerdict

__all__ = ["UNSUPPORTED", "Twin", "TwinRow", "TwinVerdict", "World"]

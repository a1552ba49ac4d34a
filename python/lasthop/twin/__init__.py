"""One study simulated and on real software: how far the two are apart, and whether that is far."""

from lasthop.twin.twin import Twin, TwinRow, Verdict, World

__all__ = ["Twin", "TwinRow", "Verdict", "World"]

"""The referee: what of the results cannot be believed, and the figure that shows it."""

from lasthop.referee.ruling import FILE, Finding, Ruling, read_ruling

__all__ = ["FILE", "Finding", "Ruling", "read_ruling"]

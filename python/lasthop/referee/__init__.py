"""The referee: finds results that cannot be trusted, with the evidence for each."""

from lasthop.referee.ruling import FILE, Finding, Ruling, read_ruling

__all__ = ["FILE", "Finding", "Ruling", "read_ruling"]

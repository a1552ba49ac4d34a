"""Multiverses: judge a paper's claims under each combination of its unstated choices."""

from lasthop.multiverse.analysis import analyse
from lasthop.multiverse.findings import ClaimAcross, Multiverse

__all__ = ["ClaimAcross", "Multiverse", "analyse"]

"""Multiverses: under how many readings of a paper its claims hold, and which reading decides."""

from lasthop.multiverse.analysis import analyse
from lasthop.multiverse.findings import ClaimAcross, Multiverse

__all__ = ["ClaimAcross", "Multiverse", "analyse"]

"""The clocks of this machine: whether it slept, or its time of day was set, during a test."""

from __future__ import annotations

import time
from dataclasses import dataclass

_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, slots=True)
class Clocks:
    """Three clocks at one instant. Only the one of the time of day can be set."""

    of_day_s: float
    awake_s: float
    since_boot_s: float

    @classmethod
    def read(cls) -> Clocks:
        """Read them."""
        return cls(time.time(), time.monotonic(), time.clock_gettime(_BOOT))

    def slept_s(self, earlier: Clocks) -> float:
        """Give for how long the machine slept since then: no timer of a test counts that time."""
        return (self.since_boot_s - earlier.since_boot_s) - (self.awake_s - earlier.awake_s)

    def set_by_s(self, earlier: Clocks) -> float:
        """Give by how much the time of day was set since then."""
        return (self.of_day_s - earlier.of_day_s) - (self.since_boot_s - earlier.since_boot_s)

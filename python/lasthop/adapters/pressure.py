"""CPU pressure of the machine, as the kernel reports it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_FILE = Path("/proc/pressure/cpu")
_US_PER_S = 1e6


@dataclass(frozen=True, slots=True)
class Pressure:
    """CPU pressure (PSI, `Documentation/accounting/psi.rst`) since a moment.

    Attributes
    ----------
    stalled_s
        Total time in which some task waited for a processor; None if the kernel does not report it.
    """

    stalled_s: float | None
    moment_s: float

    @classmethod
    def now(cls) -> Self:
        """Return a measurement that begins now."""
        return cls(_stalled_s(), time.monotonic())

    def share(self) -> float | None:
        """Return the share of the elapsed time in which some task waited for a processor."""
        stalled_s, passed_s = _stalled_s(), time.monotonic() - self.moment_s
        if stalled_s is None or self.stalled_s is None or passed_s <= 0:
            return None
        return min(1.0, (stalled_s - self.stalled_s) / passed_s)


def _stalled_s() -> float | None:
    try:
        some = _FILE.read_text(encoding="ascii").splitlines()[0]
    except (OSError, IndexError):
        return None
    return int(some.rpartition("total=")[2]) / _US_PER_S

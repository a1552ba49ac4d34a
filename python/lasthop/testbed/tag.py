"""The mark of a process on its namespaces (in the name) and processes (in a variable)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "LASTHOP_MADE_BY"
"""Environment variable of each process that is started in a namespace."""

_WRITTEN = re.compile(r"lasthop-([0-9]{1,10})-([0-9]{1,20})")
_STARTED = 22  # proc(5): the field of /proc/PID/stat


@dataclass(frozen=True, slots=True)
class Tag:
    """A process by its id and the time of its start, which no later process has both.

    Attributes
    ----------
    started_ticks
        Since the machine started, as the kernel counts them.
    """

    pid: int
    started_ticks: int

    @classmethod
    def own(cls) -> Tag:
        """Give that of this process."""
        return cls(os.getpid(), _started_ticks(os.getpid()) or 0)

    @classmethod
    def read(cls, text: str) -> Tag | None:
        """Read a mark; None for other text.

        Examples
        --------
        >>> str(Tag.read("lasthop-12-3456")), Tag.read("lasthop-12")
        ('lasthop-12-3456', None)
        """
        found = _WRITTEN.fullmatch(text)
        return cls(int(found[1]), int(found[2])) if found else None

    def __str__(self) -> str:
        """Write it."""
        return f"lasthop-{self.pid}-{self.started_ticks}"

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return _started_ticks(self.pid) == self.started_ticks


def _started_ticks(pid: int) -> int | None:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name of the program, the second field, may hold anything.
    state, *fields = status.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[_STARTED - 4])

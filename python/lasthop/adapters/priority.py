"""Raises the priority of a run's programs above other programs, but below the run itself."""

from __future__ import annotations

import contextlib
import os

from lasthop.adapters.usage import threads_of

_PRIORITY = 5
"""Real-time priority of a run's programs, below that of the run itself."""


def come_first(process: int) -> None:
    """Raise the priority of every thread of a process, where this is permitted."""
    for thread in threads_of(process):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(_PRIORITY))

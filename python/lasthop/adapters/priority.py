"""Programs of a run come before all else that the machine does, below the run itself."""

from __future__ import annotations

import contextlib
import os

from lasthop.adapters.usage import threads_of

_PRIORITY = 5
"""Below that of the run itself."""


def come_first(process: int) -> None:
    """Let every thread of a process come before those of other programs, where that is allowed."""
    for thread in threads_of(process):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(_PRIORITY))

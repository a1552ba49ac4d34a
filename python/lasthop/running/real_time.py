"""Real-time scheduling of a live run's thread, where the system permits it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PRIORITY = 10


@contextlib.contextmanager
def real_time() -> Iterator[bool]:
    """Schedule this thread by SCHED_FIFO; yield whether the system permits it.

    Where it does not, the lateness of the run tells what that costs.
    """
    this_thread = 0
    before = os.sched_getscheduler(this_thread), os.sched_getparam(this_thread)
    # What is started meanwhile is scheduled as everything else.
    policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    try:
        os.sched_setscheduler(this_thread, policy, os.sched_param(_PRIORITY))
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(this_thread, *before)

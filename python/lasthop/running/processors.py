"""Number of runs that this machine can execute concurrently."""

import os


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))

"""How many runs this machine can execute at a time."""

import os


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))

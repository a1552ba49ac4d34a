"""How many runs this machine can execute at a time."""

import os


def available_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))

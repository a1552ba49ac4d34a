"""Cases in which the path carries less than is offered."""

import math
from collections.abc import Sequence

from lasthop.referee.row import RunRow

MOST_UNCARRIED = 0.1
"""The share of the load from which a case is overloaded.

A queue that is just stable comes back to rest so rarely that a run of minutes cannot tell it from
one that grows slowly: below this share a run's chance decides, above it the load. How this was
found: `lasthop_measure/MODEL.md`.
"""


def uncarried_share(runs: Sequence[RunRow]) -> float | None:
    """Return the mean over a case's repetitions; None when none of them can tell."""
    shares = [run.uncarried_ratio for run in runs if run.uncarried_ratio is not None]
    return math.fsum(shares) / len(shares) if shares else None


def is_overloaded(share: float | None) -> bool:
    """Tell whether that share of a case's load is too much."""
    return share is not None and share >= MOST_UNCARRIED

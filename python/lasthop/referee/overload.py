"""Detects cases in which the path carries less than the offered load."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from lasthop.referee.row import RunRow

MOST_UNCARRIED = 0.1
"""Mean share of uncarried load from which a case counts as overloaded.

A queue that is just stable comes to rest so rarely that runs of minutes cannot tell it from one
that grows slowly: below this share luck decides, above it the load does. How this was found:
`lasthop_measure/MODEL.md`.
"""

STEADILY_UNCARRIED = 0.025
"""Share that suffices if each of enough repetitions reaches it."""

ENOUGH_REPETITIONS = 5


@dataclass(frozen=True, slots=True)
class Load:
    """Share of a case's offered load that was not carried, for each repetition.

    Attributes
    ----------
    shares
        Shares of the repetitions that were long enough.
    """

    shares: tuple[float, ...]

    @classmethod
    def of(cls, runs: Sequence[RunRow]) -> Self:
        """Return the shares of the repetitions."""
        shares = (run.uncarried_ratio for run in runs)
        return cls(tuple(share for share in shares if share is not None))

    @property
    def uncarried(self) -> float:
        """Return the mean share; 0 if no repetition was long enough."""
        return sum(self.shares) / len(self.shares) if self.shares else 0.0

    @property
    def is_too_much(self) -> bool:
        """Return whether the case is overloaded."""
        steady = len(self.shares) >= ENOUGH_REPETITIONS and min(self.shares) >= STEADILY_UNCARRIED
        return steady or self.uncarried >= MOST_UNCARRIED

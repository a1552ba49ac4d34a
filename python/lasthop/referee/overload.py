"""Cases in which the path carries less than is offered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from lasthop.referee.row import RunRow

MOST_UNCARRIED = 0.1
"""The share of the load from which a case is overloaded, as a mean over its repetitions.

A queue that is just stable comes to rest so rarely that runs of minutes cannot tell it from one
that grows slowly: below this share luck decides, above it the load does. How this was found:
`lasthop_measure/MODEL.md`.
"""

STEADILY_UNCARRIED = 0.025
"""The share that is enough when each repetition shows it, and there are enough of them."""

ENOUGH_REPETITIONS = 5


@dataclass(frozen=True, slots=True)
class Load:
    """The share of a case's load that was not carried, by repetition.

    Attributes
    ----------
    shares
        Of the repetitions that were long enough to tell.
    """

    shares: tuple[float, ...]

    @classmethod
    def of(cls, runs: Sequence[RunRow]) -> Self:
        """Read it from the repetitions."""
        shares = (run.uncarried_ratio for run in runs)
        return cls(tuple(share for share in shares if share is not None))

    @property
    def uncarried(self) -> float:
        """The mean; 0 when no repetition can tell."""
        return sum(self.shares) / len(self.shares) if self.shares else 0.0

    @property
    def is_too_much(self) -> bool:
        """Whether the case is overloaded."""
        steady = len(self.shares) >= ENOUGH_REPETITIONS and min(self.shares) >= STEADILY_UNCARRIED
        return steady or self.uncarried >= MOST_UNCARRIED

"""The studentised bootstrap over repetitions: an interval that bears few and skewed values."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from lasthop.statistics.evidence import t_quantile
from lasthop.statistics.intervals import (
    CONFIDENCE,
    FEWEST_FOR_T,
    Interval,
    IntervalKind,
    interval,
)

if TYPE_CHECKING:
    import numpy as np

DEFAULT_SEED = 1
RESAMPLES = 4_999
"""How often more than seven repetitions are resampled; fewer are enumerated."""

MOST_STRETCH = 2.0
"""What few values may lengthen a side by: their own quantile is known poorly."""

_MOST_ENUMERATED = 7
_BLOCK_DRAWS = 1_000_000
_ROUNDING = 1e-6

Side = Literal["below", "above"]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The mean of some repetitions with an interval at every level, and a p-value that inverts it.

    Both ends are ``mean -+ stretch * t * standard_error``. The bootstrap gives each side its
    stretch: the 97.5 % quantile of the resampled t statistic over that of Student's t. So the
    95 % interval is the bootstrap-t interval (Efron 1979; Hall 1988), which follows skewness.
    At the higher levels that Holm's correction asks for, five values cannot say anything by
    resampling (they have 126 different resamples), so there the tail is Student's, stretched.

    Why this form: the percentile interval of a mean never leaves the range of its values, so
    that five values of one sign would exclude zero at every level. The expanded percentile
    interval (Hesterberg 2015) does not cure that at n = 5. Of some thousand samples of five,
    the t, the expanded percentile and this interval cover the mean of a normal law in 95, 92
    and 95 %, of an exponential law in 88, 87 and 92 %, of a log-normal one in 83, 82 and 89 %.
    The price is a third more length at five repetitions, 7 % at ten. Without a limit to the
    stretch one sample in a hundred would be stretched by more than 8; a limit of 2 halves the
    mean length under an exponential law and costs less than 1 % of coverage.

    Where ties leave so many resamples without any spread that a quantile is infinite, the
    bootstrap says nothing and both stretches are 1: Student's interval.

    Parameters
    ----------
    mean, standard_error : float
        Of the repetitions.
    repetitions : int
        How many.
    stretch_below, stretch_above : float
        Of the interval's part below and above the mean.
    """

    mean: float
    standard_error: float
    repetitions: int
    stretch_below: float
    stretch_above: float

    @classmethod
    def of(cls, values: Sequence[float], *, seed: int = DEFAULT_SEED) -> "Bootstrap":
        """Resample finite repetitions, five or more."""
        count = len(values)
        mean = math.fsum(values) / count
        variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
        error = math.sqrt(variance / count)
        if error <= abs(mean) * 1e-13:  # equal values, but for rounding
            return cls(mean, 0.0, count, 1.0, 1.0)
        low, high = _t_quantiles([(value - mean) / error for value in values], seed)
        if not math.isfinite(low - high) or not low < 0 < high:
            return cls(mean, error, count, 1.0, 1.0)
        student = t_quantile(count - 1, CONFIDENCE)
        below, above = (min(end / student, MOST_STRETCH) for end in (high, -low))
        return cls(mean, error, count, below, above)

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Give the interval at a level.

        Examples
        --------
        >>> found = Bootstrap.of([4.0, 5.0, 6.0, 7.0, 8.0]).interval()
        >>> found.low < 4.5 < 7.5 < found.high
        True
        """
        reach = t_quantile(self.repetitions - 1, confidence) * self.standard_error
        return Interval(
            self.mean,
            self.mean - self.stretch_below * reach,
            self.mean + self.stretch_above * reach,
            IntervalKind.BOOTSTRAP,
            self.repetitions,
        )

    def p_value(self, bound: float, side: Side) -> float:
        """Give the smallest alpha at which the 1 - alpha interval lies wholly on a side of a bound.

        1 when the mean itself does not lie there: no interval does then.
        """
        distance = self.mean - bound if side == "above" else bound - self.mean
        if distance <= 0:
            return 1.0
        if self.standard_error == 0:
            return 0.0
        stretch = self.stretch_below if side == "above" else self.stretch_above
        return 2 * t_tail(distance / (stretch * self.standard_error), self.repetitions - 1)


def bootstrap_interval(
    values: Sequence[float], *, seed: int = DEFAULT_SEED, confidence: float = CONFIDENCE
) -> Interval:
    """Find the mean and its interval by the bootstrap.

    Fewer than five repetitions, or infinite ones among them, give their range.
    """
    if len(values) < FEWEST_FOR_T or not all(map(math.isfinite, values)):
        return interval(values)
    return Bootstrap.of(values, seed=seed).interval(confidence)


def _t_quantiles(standardised: Sequence[float], seed: int) -> tuple[float, float]:
    """Give the 2.5 % and 97.5 % quantiles of the t statistic over the resamples."""
    import numpy as np  # noqa: PLC0415  (who resamples nothing need not load it)

    count = len(standardised)
    values = np.array(standardised)
    statistics, weights = [], []
    for draws, weight in _resamples(count, seed):
        picked = values[draws]
        means = picked.sum(axis=1) / count
        squares = np.einsum("ij,ij->i", picked, picked) - count * means**2
        errors = np.sqrt(np.maximum(squares, 0.0) / (count * (count - 1)))
        # The values have a standard error of 1: what is this small is rounding.
        infinite = np.where(abs(means) < _ROUNDING, 0.0, np.copysign(math.inf, means))
        flat = errors < _ROUNDING
        statistics.append(np.where(flat, infinite, means / np.where(flat, 1.0, errors)))
        weights.append(weight)
    return _quantiles(np.concatenate(statistics), np.concatenate(weights))


def _resamples(count: int, seed: int) -> Iterator[tuple["np.ndarray", "np.ndarray"]]:
    """Give resamples as rows of places, with the weight of each row."""
    import numpy as np  # noqa: PLC0415

    if count <= _MOST_ENUMERATED:
        yield _all_resamples(count)
        return
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, _BLOCK_DRAWS // count)
    for start in range(0, RESAMPLES, block):
        rows_here = min(block, RESAMPLES - start)
        draws = generator.integers(count, size=(rows_here, count))
        yield draws, np.full(rows_here, 1 / RESAMPLES)


@cache
def _all_resamples(count: int) -> tuple["np.ndarray", "np.ndarray"]:
    import numpy as np  # noqa: PLC0415

    rows = list(itertools.combinations_with_replacement(range(count), count))
    weights = [_arrangements(row) / count**count for row in rows]
    return np.array(rows), np.array(weights)


def _arrangements(row: Sequence[int]) -> int:
    """Count the orders in which a resample can be drawn."""
    same = Counter(row).values()
    return math.factorial(len(row)) // math.prod(map(math.factorial, same))


def _quantiles(statistics: "np.ndarray", weights: "np.ndarray") -> tuple[float, float]:
    order = statistics.argsort(kind="stable")
    below = weights[order].cumsum()
    tail, last = (1 - CONFIDENCE) / 2, len(order) - 1
    low, high = (
        statistics[order[min(int(below.searchsorted(share - 1e-12)), last)]]
        for share in (tail, 1 - tail)
    )
    return float(low), float(high)


def t_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Give the probability that Student's t is larger than a statistic."""
    from scipy.special import stdtr  # type: ignore[import-untyped]  # noqa: PLC0415

    return float(stdtr(degrees_of_freedom, -statistic))

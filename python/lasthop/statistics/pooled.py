"""Intervals of shares and counts from the events of all repetitions together."""

import math
from dataclasses import dataclass
from statistics import NormalDist

from lasthop.statistics.evidence import Ends, Side, p_by_inversion
from lasthop.statistics.gamma import gamma_quantile


@dataclass(frozen=True, slots=True)
class PooledShare:
    """A share of trials over all repetitions.

    Its interval is Wilson's (1927, J. Am. Stat. Assoc. 22:209), which has a width at 0 and 1 too.

    Parameters
    ----------
    successes, trials : float
        Successes and trials of all repetitions, with at least one trial.
    """

    successes: float
    trials: float

    @property
    def estimate(self) -> float:
        """Return the share."""
        return self.successes / self.trials

    def ends_at(self, alpha: float) -> Ends:
        """Return Wilson's interval with level 1 - alpha."""
        score = -NormalDist().inv_cdf(alpha / 2)
        share, weight = self.estimate, score**2 / self.trials
        middle = (share + weight / 2) / (1 + weight)
        reach = math.sqrt(share * (1 - share) * weight + weight**2 / 4) / (1 + weight)
        low, high = middle - reach, middle + reach
        return min(low, share), max(high, share)

    def ends(self, confidence: float) -> Ends:
        """Return Wilson's interval at a confidence level."""
        return self.ends_at(1 - confidence)

    def p_value(self, bound: float, side: Side) -> float:
        """Return the p-value by inverting the interval."""
        return p_by_inversion(self.ends_at, bound, side, estimate=self.estimate)


@dataclass(frozen=True, slots=True)
class PooledCount:
    """Mean number of events of a run.

    Its interval is the exact one of a Poisson count (Garwood 1936, Biometrika 28:437).

    Parameters
    ----------
    events, runs : float
        Events and runs of all repetitions.
    """

    events: float
    runs: float

    @property
    def estimate(self) -> float:
        """Return the mean number of events of a run."""
        return self.events / self.runs

    def ends_at(self, alpha: float) -> Ends:
        """Return Garwood's interval with level 1 - alpha."""
        low = gamma_quantile(self.events, alpha / 2) if self.events else 0.0
        return low / self.runs, gamma_quantile(self.events + 1, 1 - alpha / 2) / self.runs

    def ends(self, confidence: float) -> Ends:
        """Return Garwood's interval at a confidence level."""
        return self.ends_at(1 - confidence)

    def p_value(self, bound: float, side: Side) -> float:
        """Return the p-value by inverting the interval."""
        return p_by_inversion(self.ends_at, bound, side, estimate=self.estimate)


@dataclass(frozen=True, slots=True)
class PooledDifference:
    """Difference of two pooled shares or counts, new minus base, with independent events.

    The squared distances to the ends of each one's interval are added (Newcombe 1998, Stat. Med.
    17:873, method 10, for shares; Zou and Donner 2008, Stat. Med. 27:1693, for any others).
    """

    new: PooledShare | PooledCount
    base: PooledShare | PooledCount

    def ends(self, confidence: float) -> Ends:
        """Return the interval of the difference at a confidence level."""
        return self._ends_at(1 - confidence)

    def p_value(self, bound: float, side: Side) -> float:
        """Return the p-value by inverting the interval."""
        difference = self.new.estimate - self.base.estimate
        return p_by_inversion(self._ends_at, bound, side, estimate=difference)

    def _ends_at(self, alpha: float) -> Ends:
        (new_low, new_high), (base_low, base_high) = (
            one.ends_at(alpha) for one in (self.new, self.base)
        )
        new, base = self.new.estimate, self.base.estimate
        below = math.hypot(new - new_low, base_high - base)
        above = math.hypot(new_high - new, base - base_low)
        return new - base - below, new - base + above

"""Ranking: the arms of a point in order, each with its margin to the leader."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lasthop.answer.arms import Arm
from lasthop.answer.relative import relative_to
from lasthop.measures import Measure
from lasthop.statistics.intervals import CONFIDENCE, Interval, interval
from lasthop.statistics.paired import paired_difference


@dataclass(frozen=True, slots=True)
class Objective:
    """What the study wants little or much of.

    Parameters
    ----------
    column : Measure
        The measured column.
    maximise : bool
        Whether more is better.
    smallest_effect : float
        The smallest relative difference that matters, a fraction.
    confidence : float
        Of the intervals of margins: more than 95 % where the runs are looked at several times.
    """

    column: Measure
    maximise: bool
    smallest_effect: float
    confidence: float = CONFIDENCE

    @property
    def worst(self) -> float:
        """What an empty cell counts as."""
        return -math.inf if self.maximise else math.inf

    def change(self, margin: "Margin") -> Interval:
        """Return a margin with the sign that the column has: less of what is wanted is below 0."""
        return margin.relative.negated() if self.maximise else margin.relative


@dataclass(frozen=True, slots=True)
class Margin:
    """How much worse than the leader, relative to the leader's mean; paired by seed.

    Parameters
    ----------
    relative : Interval
        Positive is worse, whether the study minimises or maximises.
    too_close : bool
        The interval does not lie beyond the smallest effect.
    negligible : bool
        The interval lies within the smallest effect on both sides.
    """

    relative: Interval
    too_close: bool
    negligible: bool


@dataclass(frozen=True, slots=True)
class RankedArm:
    """A stack with its place.

    Parameters
    ----------
    stack : str
        As written in the study.
    rank : int
        From 1.
    value : Interval or None
        Of the objective, in its column's unit; None without an objective.
    margin : Margin or None
        To the leader; None for the leader and where no pair can be compared.
    warnings : tuple of str
        What to know before trusting this place.
    """

    stack: str
    rank: int
    value: Interval | None
    margin: Margin | None
    warnings: tuple[str, ...]


def rank_arms(
    arms: Sequence[Arm],
    *,
    objective: Objective | None,
    warnings: Mapping[str, tuple[str, ...]],
) -> tuple[RankedArm, ...]:
    """Order the arms, best first; without an objective they keep the order of the study."""
    if objective is None:
        return tuple(
            RankedArm(arm.stack, rank, None, None, warnings.get(arm.stack, ()))
            for rank, arm in enumerate(arms, start=1)
        )
    values = {arm.stack: arm.by_seed(objective.column.name, worst=objective.worst) for arm in arms}
    ordered = sorted(arms, key=lambda arm: _badness(arm, values[arm.stack], objective))
    leader = values[ordered[0].stack] if ordered else {}
    return tuple(
        RankedArm(
            stack=arm.stack,
            rank=rank,
            value=interval(list(values[arm.stack].values())).within(*objective.column.possible),
            margin=None if rank == 1 else _margin(values[arm.stack], leader, objective),
            warnings=warnings.get(arm.stack, ()),
        )
        for rank, arm in enumerate(ordered, start=1)
    )


def _badness(arm: Arm, values: Mapping[int, float], objective: Objective) -> tuple[float, float]:
    """Order arms: by the objective, and where none reached it by what they delivered."""
    mean = interval(list(values.values())).mean
    if not math.isinf(mean) or "delivery_ratio" not in arm.completed.columns:
        return (-mean if objective.maximise else mean, 0.0)
    return (-mean if objective.maximise else mean, -(arm.mean("delivery_ratio") or 0.0))


def _margin(
    values: Mapping[int, float], leader: Mapping[int, float], objective: Objective
) -> Margin | None:
    difference = paired_difference(values, leader, confidence=objective.confidence)
    if difference is None:
        return None
    worse = difference.negated() if objective.maximise else difference
    relative = relative_to(worse, interval(list(leader.values())).mean)
    effect = objective.smallest_effect
    return Margin(
        relative=relative,
        too_close=relative.low <= effect,
        negligible=-effect <= relative.low and relative.high <= effect,
    )

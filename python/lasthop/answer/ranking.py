"""Ranking: the arms of a point in order, each with its margin to the leader."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.answer.arms import AnswerArm
from lasthop.answer.samples import Sample
from lasthop.measures import Kind, Measure
from lasthop.statistics.contrast import Contrast
from lasthop.statistics.corrections import hochberg
from lasthop.statistics.intervals import CONFIDENCE, Interval

if TYPE_CHECKING:
    from lasthop.statistics.evidence import Side


@dataclass(frozen=True, slots=True)
class Objective:
    """The measure that ranks the stacks, and its direction.

    Parameters
    ----------
    column : Measure
        The measured column.
    maximise : bool
        Whether more is better.
    smallest_effect : float
        The smallest difference that matters: a fraction, of a share in points.
    confidence : float
        Of the intervals of margins: more than 95 % where the runs are looked at several times.
    """

    column: Measure
    maximise: bool
    smallest_effect: float
    confidence: float = CONFIDENCE

    @property
    def worst(self) -> float:
        """The value that replaces an empty cell."""
        return -math.inf if self.maximise else math.inf

    @property
    def why_unmeasured(self) -> str:
        """Explain why no stack has a value for this measure."""
        return "too few messages arrived" if self.column.is_waiting else self.column.missing


@dataclass(frozen=True, slots=True)
class Margin:
    """The difference between an arm and the leader.

    Parameters
    ----------
    contrast : Contrast
        The arm beside the leader.
    effect : float
        The smallest effect, on the scale of the contrast.
    p_value : float
        Of the arm being worse by more than that, corrected for other arms and points.
    alpha : float
        Up to which p-value it is said to be so.
    """

    contrast: Contrast
    effect: float
    p_value: float
    alpha: float

    @property
    def too_close(self) -> bool:
        """Whether the runs do not show that the arm is worse."""
        return self.p_value > self.alpha

    @property
    def negligible(self) -> bool:
        """Whether the interval lies within the smallest effect on both sides."""
        return self.contrast.is_within(self.effect)


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
        To the leader; None for the leader and where no arm has a value.
    warnings : tuple of str
        What to know before trusting this place.
    """

    stack: str
    rank: int
    value: Interval | None
    margin: Margin | None
    warnings: tuple[str, ...]


def rank_arms(
    arms: Sequence[AnswerArm],
    *,
    objective: Objective | None,
    warnings: Mapping[str, tuple[str, ...]],
) -> tuple[RankedArm, ...]:
    """Order the arms, best first. Without an objective they keep the order of the study.

    Positive quantities are ordered by their geometric means, all others by arithmetic ones.
    """
    if objective is None:
        return tuple(
            RankedArm(arm.stack, rank, None, None, warnings.get(arm.stack, ()))
            for rank, arm in enumerate(arms, start=1)
        )
    if not arms:
        return ()
    samples = [Sample.of(arm, objective.column, worst=objective.worst) for arm in arms]
    order = _best_first(arms, samples, objective)
    leader, *others = (samples[place] for place in order)
    margins = [None, *_margins(others, leader, objective)]
    return tuple(
        RankedArm(
            stack=arms[place].stack,
            rank=rank,
            value=samples[place].interval(),
            margin=margin,
            warnings=warnings.get(arms[place].stack, ()),
        )
        for rank, (place, margin) in enumerate(zip(order, margins, strict=True), start=1)
    )


def _margins(others: Sequence[Sample], leader: Sample, objective: Objective) -> list[Margin | None]:
    """Hold arms against the leader, corrected after Hochberg: a common leader ties them."""
    if all(value == objective.worst for value in leader.values.values()):
        return [None for _ in others]
    effect = leader.effect(objective.smallest_effect)
    worse: Side = "below" if objective.maximise else "above"
    found = [other.against(leader, confidence=objective.confidence) for other in others]
    corrected = hochberg([one.p_value(effect, worse) for one in found])
    return [
        Margin(one, effect, p_value, 1 - objective.confidence)
        for one, p_value in zip(found, corrected, strict=True)
    ]


def _best_first(
    arms: Sequence[AnswerArm], samples: Sequence[Sample], objective: Objective
) -> list[int]:
    """Order arms: by how many runs have a value, by the objective, then by what they delivered."""
    scaled = [_on_its_scale(sample) for sample in samples]
    finite = [value for values in scaled for value in values if math.isfinite(value)]
    least, most = (min(finite), max(finite)) if finite else (0.0, 0.0)

    def badness(place: int) -> tuple[float, ...]:
        values = scaled[place]
        mean = math.fsum(min(max(value, least), most) for value in values) / len(values)
        unreached, best = (
            values.count(end) / len(values) for end in (objective.worst, -objective.worst)
        )
        delivered = 0.0
        if unreached == 1 and "delivery_ratio" in arms[place].completed.columns:
            delivered = arms[place].mean("delivery_ratio") or 0.0
        return (unreached, -mean if objective.maximise else mean, -best, -delivered)

    return sorted(range(len(arms)), key=badness)


def _on_its_scale(sample: Sample) -> list[float]:
    values = list(sample.values.values())
    if sample.measure.kind is not Kind.POSITIVE:
        return values
    return [math.log(value) if value > 0 else -math.inf for value in values]

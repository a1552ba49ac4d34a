"""Parts of the short answer beside the ranking: flips along sweeps, important settings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.contrast_words import change_in_words
from lasthop.answer.decision import Decision
from lasthop.answer.ranking import Objective
from lasthop.answer.setting_words import movement_range, remark
from lasthop.answer.settings import Setting, settings_that_matter
from lasthop.answer.sweep_words import flips, stretches
from lasthop.answer.sweeps import Flip, SweepDecision
from lasthop.answer.verdict import neighbours_with_one_answer
from lasthop.statistics.intervals import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerInterval:
    """A mean with its interval over the repetitions. None is infinite."""

    mean: float | None
    low: float | None
    high: float | None
    kind: str
    repetitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFlip:
    """A change of the leading stack along a swept column.

    Attributes
    ----------
    last, first
        The points between which it is.
    unclear
        The points between these at which nobody leads alone.
    requirement
        What one of the two stacks meets on one side only; None where the aim decides.
    crossing
        Where the lines cross, interpolated; None where a value is missing.
    crossed
        In how many repetitions they do.
    """

    before: str
    after: str
    last: float
    first: float
    unclear: tuple[float, ...]
    requirement: str | None
    crossing: AnswerInterval | None
    crossed: int | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStretch:
    """Neighbouring points with one answer."""

    first: float
    last: float
    outcome: str
    leaders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSweep:
    """The leading stacks along one part."""

    part: str
    key: str
    column: str
    unit: str
    stretches: tuple[AnswerStretch, ...]
    flips: tuple[AnswerFlip, ...]
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSetting:
    """The effect of a setting on the objective, relative to its best value or in points."""

    part: str
    stack: str | None
    subject: str
    name: str
    best: str
    worst: str
    movement: AnswerInterval
    cases: int
    beyond: int
    changed: bool
    interaction: float | None
    words: str


def answer_sweep(sweep: SweepDecision) -> AnswerSweep:
    """Return a sweep as plain values."""
    groups = neighbours_with_one_answer(sweep.decision.points)
    return AnswerSweep(
        part=sweep.decision.part,
        key=sweep.swept.key,
        column=sweep.swept.column,
        unit=sweep.swept.unit,
        stretches=tuple(
            AnswerStretch(
                first=group[0].point.values[0],
                last=group[-1].point.values[0],
                outcome=group[0].outcome.value,
                leaders=group[0].leaders,
            )
            for group in groups
        ),
        flips=tuple(
            _flip(flip, words.text) for flip, words in zip(sweep.flips, flips(sweep), strict=True)
        ),
        words=stretches(sweep).text,
    )


def answer_settings(
    runs: pl.DataFrame,
    study: Mapping[str, Any],
    decision: Decision,
    sweeps: Sequence[SweepDecision],
) -> tuple[AnswerSetting, ...]:
    """Return the settings that mattered as plain values."""
    objective = decision.objective
    if objective is None:
        return ()
    decisions = (decision, *(sweep.decision for sweep in sweeps))
    settings = settings_that_matter(runs, study, objective, decisions)
    return tuple(_setting(found, objective) for found in settings)


def _flip(flip: Flip, words: str) -> AnswerFlip:
    return AnswerFlip(
        before=flip.before,
        after=flip.after,
        last=flip.last,
        first=flip.first,
        unclear=flip.unclear,
        requirement=None if flip.qualification is None else flip.qualification.requirement,
        crossing=None if flip.crossing is None else _interval(flip.crossing.at),
        crossed=None if flip.crossing is None else flip.crossing.crossed,
        words=words,
    )


def _setting(found: Setting, objective: Objective) -> AnswerSetting:
    change = change_in_words(found.movement.mean, objective.column)
    said = [
        *([change, f"({movement_range(found, objective)})"] if found.cases else []),
        remark(found, objective),
    ]
    return AnswerSetting(
        part=found.part,
        stack=found.stack,
        subject=found.subject,
        name=found.name,
        best=found.best,
        worst=found.worst,
        movement=_interval(found.movement),
        cases=found.cases,
        beyond=found.beyond,
        changed=found.changed,
        interaction=found.interaction,
        words=" ".join(filter(None, said)),
    )


def _interval(found: Interval) -> AnswerInterval:
    return AnswerInterval(
        mean=_finite(found.mean),
        low=_finite(found.low),
        high=_finite(found.high),
        kind=found.kind.value,
        repetitions=found.repetitions,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""What the page needs to answer the question anew: figures, evidence and p-values of each point."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.arms import AnswerArm, arms_of, stack_names
from lasthop.answer.contrast_words import change_of, effect_of, range_of
from lasthop.answer.decision import Decision
from lasthop.answer.points import Point, parts_of, points_of, varied
from lasthop.answer.projection import SHOWN
from lasthop.answer.quantities import format_quantity, format_range
from lasthop.answer.ranking import Objective, RankedArm, rank_arms
from lasthop.answer.requirement_evidence import evidence_of
from lasthop.answer.requirements import Requirements
from lasthop.answer.samples import Sample
from lasthop.measures import COLUMNS, Measure
from lasthop.report.explorer.columns import column_json, editable
from lasthop.report.source import ReportSource
from lasthop.statistics.looks import confidence_at_a_look
from lasthop.study.expressions import parse_expression

Json = dict[str, Any]

MOST_POINTS = 400
"""Of one part; more would make a page too large to mail."""
_MOST_COLUMNS = 12
_ALSO = (
    "latency_p99_ms",
    "latency_max_ms",
    "session_set_up_p95_ms",
    "wire_bytes_per_message",
    "control_bytes_per_100",
    "energy_per_message_j",
)


def explorer_data(source: ReportSource, decision: Decision) -> Json | None:
    """Give what the page decides by; None where nothing ran or a multiverse asks another question.

    The page repeats only what needs no statistics: it compares figures and intervals with bounds,
    orders stacks, and corrects p-values after Hochberg and Holm. Each p-value is computed here.
    """
    columns = _columns(source, decision)
    if not columns or source.multiverse is not None:
        return None
    requirements = [_requirement(text, columns) for text in decision.requirements]
    parts = [_Part(source, part, columns, decision).json() for part in parts_of(source.study)]
    found = [part for part in parts if part is not None]
    if not found:
        return None
    objective = decision.objective
    return {
        "columns": [column_json(column) for column in columns],
        "objective": None if objective is None else _objective(objective, columns),
        "parts": found,
        "question": decision.part,
        "requirements": requirements,
        "stacks": list(source.stacks),
    }


def _columns(source: ReportSource, decision: Decision) -> list[Measure]:
    """Choose measures for requirements: those of the question, then those that an answer shows."""
    completed = source.runs.filter(pl.col("status") == "completed")
    there = {name for name in completed.columns if completed[name].null_count() < completed.height}
    compared = [parse_expression(text).comparison for text in decision.requirements]
    asked = [name for comparison in compared for name in comparison.columns]
    if decision.objective is not None:
        asked.insert(0, decision.objective.column.name)
    wanted = dict.fromkeys((*asked, *SHOWN, *_ALSO))
    known = {column.name: column for column in COLUMNS if column.is_measured}
    names = [name for name in wanted if name in there and name in known]
    return [known[name] for name in names[:_MOST_COLUMNS]]


def _objective(objective: Objective, columns: Sequence[Measure]) -> Json:
    column = objective.column
    return {
        "alpha": 1 - objective.confidence,
        "column": columns.index(column) if column in columns else None,
        "effect": effect_of(column, objective.smallest_effect),
        "label": column.label,
        "maximise": objective.maximise,
        "missing": objective.why_unmeasured,
    }


def _requirement(text: str, columns: Sequence[Measure]) -> Json:
    """Say what of a requirement can be changed: nothing of one for some stacks or groups only."""
    expression = parse_expression(text)
    comparison = expression.comparison
    place = next((at for at, one in enumerate(columns) if one.name in comparison.columns), None)
    if expression.where or place is None or not editable(columns[place]):
        return {"text": text}
    return {
        "column": place,
        "operator": comparison.operator,
        "text": text,
        "value": comparison.value,
    }


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of the study and what its points hold."""

    source: ReportSource
    part: Mapping[str, Any]
    columns: Sequence[Measure]
    decision: Decision

    def json(self) -> Json | None:
        """Write the part; None where it has no points or too many."""
        points = points_of(self.source.runs, self.part)
        if not points or len(points) > MOST_POINTS:
            return None
        dimensions = _dimensions(self.source.runs, self.part, points)
        requirements = self._requirements()
        places = [dimension.pop("places") for dimension in dimensions]
        return {
            "dimensions": dimensions,
            "name": self.part["name"],
            "points": [
                {
                    "arms": [self._arm(arm, requirements) for arm in self._arms(point)],
                    "at": [known[value] for known, value in zip(places, _key(point), strict=True)],
                    "label": point.label,
                    "pairs": self._pairs(point, self.decision.objective),
                }
                for point in points
            ],
            "sweeps_one": len(dimensions) == 1,
        }

    def _requirements(self) -> Requirements:
        study, runs = self.source.study, self.source.runs
        return Requirements(
            self.decision.requirements,
            runs.filter(pl.col("part") == self.part["name"]),
            self.source.read_groups,
            confidence=self._confidence(study),
        )

    @staticmethod
    def _confidence(study: Mapping[str, Any]) -> float:
        return confidence_at_a_look(study.get("looks", 1))

    def _arms(self, point: Point) -> tuple[AnswerArm, ...]:
        return arms_of(point.rows, stack_names(self.source.study))

    def _arm(self, arm: AnswerArm, requirements: Requirements) -> Json:
        """Write a stack at a point: why it cannot be judged, or its figures."""
        stack = self.source.stacks.index(arm.stack)
        objective = self.decision.objective
        hangs = arm.overload if objective is not None and objective.column.is_waiting else None
        troubles = [*([] if hangs is None else [hangs]), *arm.troubles]
        if arm.completed.is_empty() or hangs is not None:
            told = dict.fromkeys(f"{one.status}: {one.reason}" for one in troubles)
            return {"aside": "; ".join(told), "stack": stack}
        judged = {one.requirement: one for one in requirements.judged(arm)}
        asked = [judged.get(text) for text in requirements.texts]
        return {
            "cells": [self._cell(arm, column) for column in self.columns],
            "fixed": [None if one is None else [one.met.value, one.figure] for one in asked],
            "runs": arm.completed.height,
            "stack": stack,
            "value": self._value(arm, objective),
            "warnings": [f"{one.runs} runs {one.status}: {one.reason}" for one in arm.troubles],
        }

    def _cell(self, arm: AnswerArm, column: Measure) -> list[Any]:
        """Write a figure: in words, its mean, and the ends that the runs leave open, if any."""
        mean = arm.mean(column.name)
        evidence = evidence_of(arm, column, confidence=self._confidence(self.source.study))
        if arm.overload is not None and column.is_waiting:
            return [arm.overload.status, None]
        words = format_quantity(mean, column.unit, missing=column.missing)
        if evidence is None or evidence.is_exact:
            return [words, mean]
        return [words, mean, *map(_finite, evidence.ends), evidence.range]

    @staticmethod
    def _value(arm: AnswerArm, objective: Objective | None) -> list[str] | None:
        if objective is None:
            return None
        column = objective.column
        interval = Sample.of(arm, column, worst=objective.worst).interval()
        mean = format_quantity(interval.mean, column.unit, missing=column.missing)
        return [mean, format_range(interval, column.unit, missing=column.missing)]

    def _pairs(self, point: Point, objective: Objective | None) -> Json | None:
        """Hold each stack against each that is ordered before it, of all that can be judged."""
        if objective is None:
            return None
        arms = [arm for arm in self._arms(point) if not _is_aside(arm, objective)]
        by_stack = {arm.stack: arm for arm in arms}
        ranked = rank_arms(arms, objective=objective, warnings={})
        return {
            "order": [self.source.stacks.index(one.stack) for one in ranked],
            "reached": [_is_reached(one) for one in ranked],
            "to": [
                [
                    _pair(by_stack[leader.stack], by_stack[other.stack], objective)
                    for leader in better
                ]
                for other, better in _with_those_before(ranked)
            ],
        }


def _with_those_before(
    ranked: Sequence[RankedArm],
) -> Iterable[tuple[RankedArm, Sequence[RankedArm]]]:
    for place, one in enumerate(ranked):
        yield one, ranked[:place]


def _pair(leader: AnswerArm, other: AnswerArm, objective: Objective) -> list[Any]:
    """Write how a stack differs from a better one: p-value before corrections, then in words."""
    column = objective.column
    base = Sample.of(leader, column, worst=objective.worst)
    contrast = Sample.of(other, column, worst=objective.worst).against(
        base, confidence=objective.confidence
    )
    effect = base.effect(objective.smallest_effect)
    p_value = contrast.p_value(effect, "below" if objective.maximise else "above")
    within = contrast.is_within(effect)
    return [p_value, change_of(contrast, column), range_of(contrast, column), within]


def _is_aside(arm: AnswerArm, objective: Objective) -> bool:
    hangs = objective.column.is_waiting and arm.overload is not None
    return arm.completed.is_empty() or hangs


def _is_reached(one: RankedArm) -> bool:
    return one.value is not None and one.value.unreached < one.value.repetitions


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


def _key(point: Point) -> tuple[Any, ...]:
    """Give what tells a point from others: its number where its values are no scalars."""
    pairs = zip(point.values, point.named, strict=True)
    return tuple(name if value is None else value for value, (_, name) in pairs)


def _dimensions(runs: pl.DataFrame, part: Mapping[str, Any], points: Sequence[Point]) -> list[Json]:
    found = []
    for at, swept in enumerate(varied(runs, part)):
        named = {_key(point)[at]: point.named[at][1] for point in points}
        numeric = all(isinstance(value, int | float) for value in named)
        values = sorted(named) if numeric else list(named)
        found.append(
            {
                "label": swept.label,
                "numeric": numeric,
                "places": {value: place for place, value in enumerate(values)},
                "values": [named[value] for value in values],
            }
        )
    return found

"""A stack in the answer's tables, with its values and its verdict."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.contrast_words import change_of, range_of
from lasthop.answer.decision import Decision, Outcome, PointDecision
from lasthop.answer.projection import SHOWN
from lasthop.answer.ranking import Objective, RankedArm
from lasthop.answer.requirement_words import in_words, missed_in_words
from lasthop.answer.requirements import JudgedRequirement


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """A stack at a point. Numbers are means over the completed repetitions.

    A stack that is overloaded has no latency: its queue never settles.

    Attributes
    ----------
    aim
        Value of the objective in its column's unit; None if another column shows it.
    requirements
        Whether each requirement is met: ``met``, ``not met`` or ``too few to say``.
    standing
        The verdict without its requirements, for tables that have a column for each of them.
    missed
        The figure of each requirement that is not met.
    """

    rank: int | None
    stack: str
    aim: float | None
    delivery_ratio: float | None
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    wire_bytes: float | None
    battery_years: float | None
    verdict: str
    excluded: bool
    overload: bool
    requirements: Mapping[str, str] = field(default_factory=dict)
    standing: str = ""
    missed: Mapping[str, str] = field(default_factory=dict)


def shown_aim(objective: Objective | None) -> str | None:
    """Return the objective's column if no other column of a row contains it."""
    if objective is None or objective.column.name in SHOWN:
        return None
    return objective.column.name


def answer_rows(
    decision: Decision, point: PointDecision, stacks: Sequence[str]
) -> tuple[AnswerRow, ...]:
    """Return a row for each stack at a point: ranked, excluded or without a run."""
    arms = {arm.stack: arm for arm in arms_of(point.point.rows, stacks)}
    apart = shown_aim(decision.objective) is not None

    def aim(arm: RankedArm) -> float | None:
        value = arm.value.mean if apart and arm.value is not None else math.inf
        return value if math.isfinite(value) else None

    ranked = [
        replace(
            _row(
                arms[arm.stack],
                rank=arm.rank,
                aim=aim(arm),
                verdict=_verdict(arm, point, decision.objective),
            ),
            standing=_place(arm, point, decision.objective),
        )
        for arm in point.ranked
    ]
    excluded = [
        replace(
            _row(
                arms[left_out.arm.stack],
                aim=aim(left_out.arm),
                verdict=f"excluded: {'; '.join(_missed(left_out.because))}",
                excluded=True,
            ),
            standing="excluded",
            missed={why.requirement: why.figure for why in left_out.because},
        )
        for left_out in point.excluded
    ]
    aside = [
        _row(
            arms[left_out.stack],
            verdict="; ".join(f"{why.status}: {why.reason}" for why in left_out.troubles),
            excluded=True,
        )
        for left_out in point.set_aside
    ]
    rows = (*ranked, *excluded, *aside)
    return tuple(replace(row, requirements=_requirements(point, row.stack)) for row in rows)


def _missed(because: Sequence[JudgedRequirement]) -> Iterable[str]:
    return (missed_in_words(why.requirement, why.figure) for why in because)


def _requirements(point: PointDecision, stack: str) -> dict[str, str]:
    return {one.requirement: one.met.value for one in point.judged.get(stack, ())}


def _verdict(arm: RankedArm, point: PointDecision, objective: Objective | None) -> str:
    too_few = [f"{one.met.value}: {in_words(one.requirement)}" for one in point.too_few(arm.stack)]
    return "; ".join(filter(None, (_place(arm, point, objective), *too_few)))


def _place(arm: RankedArm, point: PointDecision, objective: Objective | None) -> str:
    if point.outcome is Outcome.ONLY_ONE:
        return "the only one left" if point.too_few(arm.stack) else "the only one that qualifies"
    if arm.stack in point.leaders:
        return "best" if point.outcome is Outcome.LEADS else "too close to call"
    if arm.margin is None or objective is None:
        return ""
    if not math.isfinite(arm.margin.contrast.change.mean):
        return "not reached"
    change = change_of(arm.margin.contrast, objective.column)
    return f"{change} ({range_of(arm.margin.contrast, objective.column)})"


def _row(
    arm: AnswerArm,
    *,
    verdict: str,
    rank: int | None = None,
    aim: float | None = None,
    excluded: bool = False,
) -> AnswerRow:
    there = () if arm.completed.is_empty() else arm.completed.columns
    means = {name: arm.mean(name) for name in SHOWN if name in there}
    sent = [means.get("wire_bytes_up_offered"), means.get("wire_bytes_down_offered")]
    known = [count for count in sent if count is not None]
    return AnswerRow(
        rank=rank,
        stack=arm.stack,
        aim=aim,
        delivery_ratio=means.get("delivery_ratio"),
        latency_p50_ms=means.get("latency_p50_ms"),
        latency_p95_ms=means.get("latency_p95_ms"),
        wire_bytes=sum(known) if known else None,
        battery_years=means.get("battery_years"),
        verdict=verdict,
        excluded=excluded,
        overload=arm.overload is not None,
        standing=verdict,
    )

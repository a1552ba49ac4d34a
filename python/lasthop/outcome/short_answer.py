"""The answer in a table: each stack with what it delivers, how late, at which cost, its verdict."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from lasthop.answer.answer_parts import (
    AnswerSetting,
    AnswerSweep,
    answer_settings,
    answer_sweep,
)
from lasthop.answer.arms import Arm, arms_of, stack_names
from lasthop.answer.by_group import DecisionByGroup, answer_by_group
from lasthop.answer.cautions import cautions
from lasthop.answer.contrast_words import change_of, range_of
from lasthop.answer.decision import Decision, Outcome, PointDecision
from lasthop.answer.projection import SHOWN
from lasthop.answer.quantities import format_quantity
from lasthop.answer.ranking import Objective, RankedArm
from lasthop.answer.sweeps import decide_along_sweeps
from lasthop.answer.verdict import best_at, how_to_read, shown_rule, verdict
from lasthop.claims.words import interval, ours, summary
from lasthop.claims.words import verdict as said
from lasthop.referee.row import OVERLOAD

if TYPE_CHECKING:
    from lasthop.outcome.results import Results

_HEADINGS = ("", "stack", "delivery", "p50", "p95", "bytes a run", "battery", "verdict")
_CLAIM_HEADINGS = ("", "claim", "published", "ours", "interval", "verdict", "reason")
_NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One stack at one point; numbers are means over the completed repetitions.

    A stack that is overloaded has no latency: its queue never settles.
    """

    rank: int | None
    stack: str
    delivery_ratio: float | None
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    wire_bytes: float | None
    battery_years: float | None
    verdict: str
    excluded: bool
    overload: bool

    def cells(self, headings: Sequence[str]) -> tuple[str, ...]:
        """Return the row as words, a cell for each of the answer's headings."""
        missing = "" if self.delivery_ratio is None else _NOT_REACHED
        missing = OVERLOAD if self.overload else missing
        written = (
            "" if self.rank is None else str(self.rank),
            self.stack,
            format_quantity(self.delivery_ratio, "fraction", missing=""),
            format_quantity(self.latency_p50_ms, "ms", missing=missing),
            format_quantity(self.latency_p95_ms, "ms", missing=missing),
            format_quantity(self.wire_bytes, "B", missing=""),
            format_quantity(self.battery_years, "years", missing=""),
            self.verdict,
        )
        by_heading = dict(zip(_HEADINGS, written, strict=True))
        return tuple(by_heading[heading] for heading in headings)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPoint:
    """The conditions and what each stack did under them, best first."""

    label: str
    outcome: str
    headline: str
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlace:
    """A group, stratum or flow and what each stack did there, best first.

    Attributes
    ----------
    place
        What it is, by what tells places apart: ``{"stratum": "164 dB"}``.
    label
        The same in words, with the point where there are several.
    differs
        Whether other stacks come first than in the fleet.
    """

    place: Mapping[str, str]
    label: str
    outcome: str
    differs: bool
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer:
    """The study's answer in words, and in figures at each point of one part.

    Attributes
    ----------
    notes
        How the tables are to be read.
    sweeps
        Who leads on which stretch of each sweep, and where that flips.
    settings
        How far each setting moves the aim, the farthest first.
    cautions
        What to keep in mind of these figures.
    by_group
        The same by group and stratum; nothing where there is one only.
    """

    headline: str
    support: tuple[str, ...]
    notes: tuple[str, ...]
    part: str
    points: tuple[AnswerPoint, ...]
    sweeps: tuple[AnswerSweep, ...]
    settings: tuple[AnswerSetting, ...]
    cautions: tuple[str, ...]
    by_group: tuple[AnswerPlace, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """Return those of the tables; a battery has one where a device lives on it."""
        rows = (row for point in self.points for row in point.rows)
        if any(row.battery_years is not None for row in rows):
            return _HEADINGS
        return tuple(heading for heading in _HEADINGS if heading != "battery")

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values, `by_group` only where there is something."""
        plain = asdict(self)
        return plain if self.by_group else {k: v for k, v in plain.items() if k != "by_group"}


def short_answer(results: "Results") -> ShortAnswer:
    """Answer the study's question from its runs."""
    decision = results.decision
    words = verdict(decision)
    by_group = results.by_group
    beside = None if by_group is None else answer_by_group(by_group)
    stacks = stack_names(results.manifest.study)
    return ShortAnswer(
        headline=words.headline.text,
        support=tuple(sentence.text for sentence in (*words.support, beside) if sentence),
        notes=how_to_read(decision),
        part=decision.part,
        points=tuple(_point(decision, point, stacks) for point in decision.points),
        sweeps=tuple(
            map(
                answer_sweep,
                decide_along_sweeps(
                    results.compared, results.manifest.study, lambda: results.groups
                ),
            )
        ),
        settings=answer_settings(results.compared, results.manifest.study, decision),
        cautions=cautions([results.path], results.manifest.study),
        by_group=() if by_group is None else tuple(_places(by_group, stacks)),
    )


def short_answer_html(results: "Results") -> str:
    """Write the answer and the claims as small HTML tables."""
    answer = short_answer(results)
    support = escape(" ".join(answer.support))
    lines = [f"<p><strong>{escape(answer.headline)}</strong> {support}</p>"]
    for point in answer.points:
        heading = f"{point.label}: {point.headline}" if point.label else ""
        rows = [row.cells(answer.headings) for row in point.rows]
        lines.append(_table(heading, answer.headings, rows))
    lines += [f"<p><small>{escape(note)}</small></p>" for note in answer.notes]
    lines += [f"<p>Caution: {escape(caution)}</p>" for caution in answer.cautions]
    if results.judgements:
        claims = [
            (one.id, one.what, one.published, ours(one), interval(one), said(one), one.reason)
            for one in results.judgements
        ]
        heading = f"Claims: {summary(results.judgements)}"
        lines.append(_table(heading, _CLAIM_HEADINGS, claims))
    lines += [
        f"<p>{'<strong>invalid</strong> ' if finding.invalid else ''}{escape(str(finding))}</p>"
        for finding in results.ruling.findings
    ]
    return "\n".join(lines)


def _table(heading: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<table><caption>{escape(heading)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )


def _places(found: DecisionByGroup, stacks: Sequence[str]) -> Iterable[AnswerPlace]:
    for point in found.decision.points:
        yield AnswerPlace(
            place=dict(zip(found.places, found.place(point), strict=True)),
            label=point.point.label,
            outcome=point.outcome.value,
            differs=point in found.differing,
            rows=_rows(found.decision, point, stacks),
        )


def _point(decision: Decision, point: PointDecision, stacks: Sequence[str]) -> AnswerPoint:
    return AnswerPoint(
        label=point.point.label,
        outcome=point.outcome.value,
        headline=best_at(decision, point).text,
        rows=_rows(decision, point, stacks),
    )


def _rows(decision: Decision, point: PointDecision, stacks: Sequence[str]) -> tuple[AnswerRow, ...]:
    arms = {arm.stack: arm for arm in arms_of(point.point.rows, stacks)}
    ranked = [
        _row(arms[arm.stack], rank=arm.rank, verdict=_verdict(arm, point, decision.objective))
        for arm in point.ranked
    ]
    excluded = [
        _row(
            arms[left_out.arm.stack],
            verdict="excluded: "
            + "; ".join(
                f"{shown_rule(why.requirement)} (is {why.figure})" for why in left_out.because
            ),
            excluded=True,
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
    return (*ranked, *excluded, *aside)


def _verdict(arm: RankedArm, point: PointDecision, objective: Objective | None) -> str:
    if point.outcome is Outcome.ONLY_ONE:
        return "the only one that qualifies"
    if arm.stack in point.leaders:
        return "best" if point.outcome is Outcome.LEADS else "too close to call"
    if arm.margin is None or objective is None:
        return ""
    if not math.isfinite(arm.margin.contrast.change.mean):
        return "worse beyond measure"
    change = change_of(arm.margin.contrast, objective.column)
    return f"{change} ({range_of(arm.margin.contrast, objective.column)})"


def _row(arm: Arm, *, verdict: str, rank: int | None = None, excluded: bool = False) -> AnswerRow:
    there = () if arm.completed.is_empty() else arm.completed.columns
    means = {name: arm.mean(name) for name in SHOWN if name in there}
    sent = [means.get("wire_bytes_up_offered"), means.get("wire_bytes_down_offered")]
    known = [count for count in sent if count is not None]
    return AnswerRow(
        rank=rank,
        stack=arm.stack,
        delivery_ratio=means.get("delivery_ratio"),
        latency_p50_ms=means.get("latency_p50_ms"),
        latency_p95_ms=means.get("latency_p95_ms"),
        wire_bytes=sum(known) if known else None,
        battery_years=means.get("battery_years"),
        verdict=verdict,
        excluded=excluded,
        overload=arm.overload is not None,
    )

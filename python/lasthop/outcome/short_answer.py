"""The answer in words, and as a table for each point."""

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
from lasthop.answer.arms import stack_names
from lasthop.answer.by_group import DecisionByGroup, answer_by_group
from lasthop.answer.cautions import cautions
from lasthop.answer.decision import Decision, PointDecision
from lasthop.answer.hints import hints
from lasthop.answer.requirement_words import in_words
from lasthop.answer.sweeps import decide_along_sweeps
from lasthop.answer.verdict import best_at, how_to_read, verdict
from lasthop.claims.words import interval, ours, summary
from lasthop.claims.words import verdict as said
from lasthop.outcome.answer_columns import AnswerColumn, answer_columns, lettered
from lasthop.outcome.answer_row import AnswerRow, answer_rows, shown_aim

if TYPE_CHECKING:
    from lasthop.outcome.results import Results

_CLAIM_HEADINGS = ("", "claim", "published", "ours", "interval", "verdict", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPoint:
    """A point with the results of each stack, best first."""

    label: str
    outcome: str
    headline: str
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlace:
    """A group, stratum or flow with the results of each stack, best first.

    Attributes
    ----------
    place
        Columns that identify the place: ``{"stratum": "164 dB"}``.
    label
        Display name of the place, with the point if there are several.
    differs
        Whether the best stacks differ from those of the whole fleet.
    """

    place: Mapping[str, str]
    label: str
    outcome: str
    differs: bool
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer:
    """The study's answer in words, with the results at each point of one part.

    Attributes
    ----------
    notes
        Explanations of the tables.
    required
        Requirements in the notation of the study.
    aim
        Column of the objective, if rows show it separately.
    sweeps
        Best stacks along each sweep, and where they change.
    settings
        Effect of each setting on the objective, the largest first.
    cautions
        Limits of the figures.
    hints
        Effects that a setting avoids, each with the setting.
    by_group
        Results by group and stratum; empty with a single one.
    """

    headline: str
    support: tuple[str, ...]
    notes: tuple[str, ...]
    required: tuple[str, ...]
    part: str
    aim: str | None
    points: tuple[AnswerPoint, ...]
    sweeps: tuple[AnswerSweep, ...]
    settings: tuple[AnswerSetting, ...]
    cautions: tuple[str, ...]
    hints: tuple[str, ...]
    by_group: tuple[AnswerPlace, ...]

    @property
    def columns(self) -> tuple[AnswerColumn, ...]:
        """Return the columns of the tables."""
        rows = (row for point in self.points for row in point.rows)
        return answer_columns(rows, self.aim, self.required)

    @property
    def legend(self) -> str:
        """Return the meaning of the letters of requirements; empty without requirements."""
        named = [f"{letter} {in_words(one)}" for letter, one in lettered(self.required)]
        return f"Required: {'; '.join(named)}." if named else ""

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values, with `by_group` only if it is not empty."""
        plain = asdict(self)
        return plain if self.by_group else {k: v for k, v in plain.items() if k != "by_group"}


def short_answer(results: "Results") -> ShortAnswer:
    """Answer the study's question from its runs."""
    decision = results.decision
    words = verdict(decision)
    by_group = results.by_group
    beside = None if by_group is None else answer_by_group(by_group)
    stacks = stack_names(results.manifest.study)
    sweeps = decide_along_sweeps(
        results.compared, results.manifest.study, lambda: results.judged_groups
    )
    return ShortAnswer(
        headline=words.headline.text,
        support=tuple(sentence.text for sentence in (*words.support, beside) if sentence),
        notes=how_to_read(decision),
        required=tuple(decision.requirements),
        part=decision.part,
        aim=shown_aim(decision.objective),
        points=tuple(_point(decision, point, stacks) for point in decision.points),
        sweeps=tuple(map(answer_sweep, sweeps)),
        settings=answer_settings(results.compared, results.manifest.study, decision, sweeps),
        cautions=cautions([results.path], results.manifest.study),
        hints=hints([results.path], results.manifest.study),
        by_group=() if by_group is None else tuple(_places(by_group, stacks)),
    )


def short_answer_html(results: "Results") -> str:
    """Write the answer and the claims as small HTML tables."""
    answer = short_answer(results)
    support = escape(" ".join(answer.support))
    columns = answer.columns
    lines = [f"<p><strong>{escape(answer.headline)}</strong> {support}</p>"]
    for point in answer.points:
        heading = f"{point.label}: {point.headline}" if point.label else ""
        rows = [[column.write(row) for column in columns] for row in point.rows]
        lines.append(_table(heading, [column.heading for column in columns], rows))
    notes = (answer.legend, *answer.notes) if answer.legend else answer.notes
    lines += [f"<p><small>{escape(note)}</small></p>" for note in notes]
    lines += [f"<p>Caution: {escape(caution)}</p>" for caution in answer.cautions]
    lines += [f"<p>Hint: {escape(hint)}</p>" for hint in answer.hints]
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
            rows=answer_rows(found.decision, point, stacks),
        )


def _point(decision: Decision, point: PointDecision, stacks: Sequence[str]) -> AnswerPoint:
    return AnswerPoint(
        label=point.point.label,
        outcome=point.outcome.value,
        headline=best_at(decision, point).text,
        rows=answer_rows(decision, point, stacks),
    )

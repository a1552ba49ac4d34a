"""The verdict: a decision in the words of a person."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lasthop.answer.contrast_words import change_of, effect_of
from lasthop.answer.decision import Decision, Outcome, PointDecision
from lasthop.answer.quantities import MINUS, SPACE, format_quantity, format_range
from lasthop.answer.ranking import Objective, RankedArm
from lasthop.measures import Kind
from lasthop.referee.row import OVERLOAD
from lasthop.statistics.intervals import IntervalKind
from lasthop.statistics.unseen import largest_unseen_share
from lasthop.study.expressions import parse_expression

_MOST_LINES = 6
_MOST_NAMED = 4
_MOST_EXCLUDED = 4
_ANSWERED = {Outcome.LEADS, Outcome.TOO_CLOSE, Outcome.ONLY_ONE}

SpanKind = Literal["words", "stack", "rule"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence; stacks and rules of the study are set apart."""

    text: str
    kind: SpanKind = "words"


@dataclass(frozen=True, slots=True)
class Sentence:
    """Pieces that make a sentence."""

    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The sentence without marks."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in a few words, in a sentence, and what supports it.

    Parameters
    ----------
    tag : str
        ``Clear``, ``Too close to call``, ...
    headline : Sentence
        The answer.
    support : tuple of Sentence
        What it rests on.
    """

    tag: str
    headline: Sentence
    support: tuple[Sentence, ...]


def verdict(decision: Decision) -> Verdict:
    """Put a decision into words."""
    groups = neighbours_with_one_answer(decision.points)
    if not groups:
        return Verdict("No answer", _sentence("Nothing was measured."), ())
    first = decision.points[0]
    caution = tuple(_cautions(decision))
    if len(groups) == 1:
        where = f" at {_all_of(groups[0])}" if len(groups[0]) > 1 else ""
        headline = Sentence((*_capitalised(clause(decision, first)), Span(f"{where}.")))
        support = _support(decision, first) if not where else _rule_of_ranking(decision)
        return Verdict(_tag(first), headline, (*support, *caution))
    return Verdict(
        _tag_of_many(decision),
        _headline_of_many(decision),
        (*_lines(decision, groups), *_rule_of_ranking(decision), *caution),
    )


def best_at(decision: Decision, point: PointDecision) -> Sentence:
    """Say in a few words what holds at one point, for a row of a table."""
    return Sentence(tuple(_capitalised(clause(decision, point))))


def clause(decision: Decision, point: PointDecision) -> list[Span]:
    """Say what holds at one point, as a part of a sentence."""
    leaders = first_names(point.leaders)
    rules = _rules(decision)
    label = decision.objective.column.label if decision.objective else "value"
    unmeasured = decision.objective.why_unmeasured if decision.objective else ""
    best = "highest" if decision.objective and decision.objective.maximise else "lowest"
    clauses: dict[Outcome, list[Span]] = {
        Outcome.LEADS: [*leaders, Span(f" has the {best} {label}")],
        Outcome.TOO_CLOSE: [*leaders, Span(" are too close to call")],
        Outcome.ONLY_ONE: _only(decision, point),
        Outcome.NOTHING_QUALIFIES: [Span("no stack meets "), *rules],
        Outcome.NOTHING_REACHED: [Span(f"no stack has a {label}: {unmeasured}")],
        Outcome.NOTHING_RAN: [Span(f"no stack could be judged, for {_why_none(point)}")],
        Outcome.NOT_ASKED: _unranked(point, rules),
    }
    return clauses[point.outcome]


def how_to_read(decision: Decision) -> tuple[str, ...]:
    """Say under a table of ranks what its words and its intervals are."""
    objective = decision.objective
    margins = [arm.margin for point in decision.points for arm in point.ranked if arm.margin]
    if objective is None or not margins:
        return ()
    order = "geometric means" if objective.column.kind is Kind.POSITIVE else "means"
    over = [f"{_most_margins(decision)} stacks (Hochberg)"] if _most_margins(decision) > 1 else []
    tested = sum(point.p_value is not None for point in decision.points)
    over += [f"{tested} points (Holm)"] if tested > 1 else []
    corrected = (
        f" The words follow p-values corrected over {' and '.join(over)}, "
        "each interval stands alone."
    )
    return (f"Ordered by {order} over the runs.{corrected if over else ''}",)


def _most_margins(decision: Decision) -> int:
    return max(sum(arm.margin is not None for arm in point.ranked) for point in decision.points)


def neighbours_with_one_answer(points: Sequence[PointDecision]) -> list[list[PointDecision]]:
    """Divide points in order wherever the answer changes."""
    groups: list[list[PointDecision]] = []
    for point in points:
        if groups and _answer(groups[-1][-1]) == _answer(point):
            groups[-1].append(point)
        else:
            groups.append([point])
    return groups


def names(stacks: Sequence[str]) -> list[Span]:
    """List stacks with commas and an "and"."""
    spans: list[Span] = []
    for place, stack in enumerate(stacks):
        if place:
            spans.append(Span(" and " if place == len(stacks) - 1 else ", "))
        spans.append(Span(stack, "stack"))
    return spans


def first_names(stacks: Sequence[str]) -> list[Span]:
    """List the first stacks, where there are many, and count the rest.

    Examples
    --------
    >>> "".join(span.text for span in first_names(["tls", "quic", "tcp", "ws", "dtls"]))
    'tls, quic, tcp and 2 others'
    """
    if len(stacks) <= _MOST_NAMED:
        return names(stacks)
    first, rest = stacks[: _MOST_NAMED - 1], len(stacks) - _MOST_NAMED + 1
    spans = [span for stack in first for span in (Span(stack, "stack"), Span(", "))]
    return [*spans[:-1], Span(f" and {rest} others")]


def shown_rule(requirement: str) -> str:
    """Write a requirement so that it is read easily.

    Examples
    --------
    >>> shown_rule("delivery_ratio > 99 %")
    'delivery_ratio > 99 %'
    """
    return requirement.replace(">=", "\N{GREATER-THAN OR EQUAL TO}").replace(
        "<=", "\N{LESS-THAN OR EQUAL TO}"
    )


def _answer(point: PointDecision) -> tuple[Outcome, frozenset[str]]:
    return point.outcome, frozenset(point.leaders)


def _extent(group: Sequence[PointDecision]) -> str:
    first, last = group[0].point, group[-1].point
    if len(group) == 1:
        return first.label
    if len(first.named) == 1:
        return f"{first.label} to {last.named[0][1]}"
    return f"{len(group)} points from {first.label} to {last.label}"


def _all_of(points: Sequence[PointDecision], *, each: str = "every") -> str:
    """Name all points of a part: ``every path loss from 0 % to 20 %``, ``all 6 points``."""
    first, last = points[0].point, points[-1].point
    if len(first.named) != 1:
        return f"{'all' if each == 'every' else 'any of the'} {len(points)} points"
    (name, low), (_, high) = first.named[0], last.named[0]
    return f"{each} {name} from {low} to {high}"


def _tag(point: PointDecision) -> str:
    tags = {
        Outcome.LEADS: "Clear",
        Outcome.TOO_CLOSE: "Too close to call",
        Outcome.ONLY_ONE: "Only one left",
        Outcome.NOT_ASKED: "Measured, not judged",
    }
    return tags.get(point.outcome, "No answer")


def _tag_of_many(decision: Decision) -> str:
    common = _common_leaders(decision)
    if not any(point.outcome in _ANSWERED for point in decision.points):
        return "No answer"
    return "One answer for all" if len(common) == 1 else "It depends"


def _common_leaders(decision: Decision) -> list[str]:
    leaders = [point.leaders for point in decision.points]
    return [stack for stack in leaders[0] if all(stack in others for others in leaders)]


def _headline_of_many(decision: Decision) -> Sentence:
    names = [name for name, _ in decision.points[0].point.named]
    varied = " and ".join(names) or "the conditions"
    common = _common_leaders(decision)
    if len(common) == 1:
        words = f" at {_all_of(decision.points, each='any')}."
        return Sentence((Span("Nothing beats "), Span(common[0], "stack"), Span(words)))
    return _sentence(f"The answer changes with {varied}.")


def _lines(decision: Decision, groups: Sequence[Sequence[PointDecision]]) -> Iterable[Sentence]:
    """List the answers in order, or by how often they are given when they change often."""
    if len(groups) <= _MOST_LINES:
        named = [(_extent(group), group[0]) for group in groups]
    else:
        counts: dict[tuple[Outcome, frozenset[str]], list[PointDecision]] = {}
        for point in decision.points:
            counts.setdefault(_answer(point), []).append(point)
        often = sorted(counts.values(), key=len, reverse=True)[:_MOST_LINES]
        named = [(f"{len(group)} of {len(decision.points)} points", group[0]) for group in often]
    for where, point in named:
        yield Sentence((Span(f"At {where}: "), *clause(decision, point), Span(".")))


def _only(decision: Decision, point: PointDecision) -> list[Span]:
    """Say what is known of the one stack that is left, or that the study has."""
    leaders, rules = names(point.leaders), _rules(decision)
    if len(decision.protocols) == 1:
        alone = [Span(" meets "), *rules] if rules else [Span(" stands alone, with nothing beside")]
        return [*leaders, *alone]
    left = [Span(" meets "), *rules] if rules and point.excluded else [Span(" could be judged")]
    return [Span("only "), *leaders, *left]


def _why_none(point: PointDecision) -> str:
    statuses = {trouble.status for arm in point.set_aside for trouble in arm.troubles}
    return "more is offered than the path carries" if OVERLOAD in statuses else "no run completed"


def _unranked(point: PointDecision, rules: Sequence[Span]) -> list[Span]:
    if not rules:
        return [Span("the study asks for no decision; here is what was measured")]
    verb = " meets " if len(point.ranked) == 1 else " meet "
    return [*first_names([arm.stack for arm in point.ranked]), Span(verb), *rules]


def _support(decision: Decision, point: PointDecision) -> Iterable[Sentence]:
    objective = decision.objective
    if objective is None:
        return
    label = objective.column.label
    if point.leaders:
        leader = point.ranked[0]
        is_value = f" is {_value(leader, objective)}."
        yield Sentence((Span(f"The {label} of "), Span(leader.stack, "stack"), Span(is_value)))
    if point.outcome is Outcome.LEADS:
        follower = point.ranked[1]
        away = _away(follower, objective)
        yield Sentence((Span(follower.stack, "stack"), Span(f" comes next, {away}.")))
    yield from _next_protocol(decision, point, objective)
    if point.ranked:
        yield from _excluded(point)
    if point.outcome is Outcome.TOO_CLOSE:
        least = effect_of(objective.column, objective.smallest_effect)
        yield _sentence(
            "The runs do not show that they differ by more than the smallest effect that "
            f"matters, {least}."
        )
    if point.outcome is Outcome.NOTHING_QUALIFIES:
        arm = point.excluded[0].arm
        if arm.value is None or math.isinf(arm.value.mean):
            yield _sentence(f"Nor has any of them a {label}: {objective.why_unmeasured}.")
        else:
            would = f" would come first with a {label} of {_value(arm, objective)}."
            dropped = "If the requirement were dropped, "
            yield Sentence((Span(dropped), Span(arm.stack, "stack"), Span(would)))


def _excluded(point: PointDecision) -> Iterable[Sentence]:
    """Say which requirement each excluded stack fails, the first one, and by which figure."""
    spans: list[Span] = []
    for left_out in point.excluded[:_MOST_EXCLUDED]:
        why = left_out.because[0]
        spans.append(Span(", " if spans else "Excluded: "))
        spans.append(Span(left_out.arm.stack, "stack"))
        needed = parse_expression(why.requirement).comparison
        rule = Span(shown_rule(f"{needed.operator} {needed.written}"), "rule")
        spans += [Span(f" ({needed.column} is {why.figure}, not "), rule, Span(")")]
    if len(point.excluded) > _MOST_EXCLUDED:
        spans.append(Span(f" and {len(point.excluded) - _MOST_EXCLUDED} more"))
    if spans:
        yield Sentence((*spans, Span(".")))


def _next_protocol(
    decision: Decision, point: PointDecision, objective: Objective
) -> Iterable[Sentence]:
    """Name the first stack of another protocol, where those before it are variants of one."""
    if not point.leaders:
        return
    ahead = max(len(point.leaders), 2 if point.outcome is Outcome.LEADS else 1)
    protocols = {decision.protocols.get(arm.stack) for arm in point.ranked[:ahead]}
    if len(protocols) > 1:
        return
    for arm in point.ranked[ahead:]:
        if decision.protocols.get(arm.stack) not in protocols:
            away = f", {_away(arm, objective)}."
            start = "The best of another protocol is "
            yield Sentence((Span(start), Span(arm.stack, "stack"), Span(away)))
            return


def _rule_of_ranking(decision: Decision) -> tuple[Sentence, ...]:
    objective = decision.objective
    if objective is None:
        return ()
    what = "highest" if objective.maximise else "lowest"
    least = effect_of(objective.column, objective.smallest_effect)
    label = objective.column.label
    text = f"The {what} {label} wins; a difference of up to {least} does not matter."
    return (_sentence(text),)


def _cautions(decision: Decision) -> Iterable[Sentence]:
    kinds = {
        arm.value.kind for point in decision.points for arm in point.ranked if arm.value is not None
    }
    if kinds == {IntervalKind.SINGLE}:
        yield _sentence("There is one repetition only, so nothing is known about its spread.")
    else:
        yield from _unseen(decision)
    elsewhere = [{arm.stack for arm in point.set_aside} for point in decision.points]
    aside = [arm for arm in decision.points[0].set_aside if all(arm.stack in e for e in elsewhere)]
    if aside:
        spans = [Span("Not judged: ")]
        for place, arm in enumerate(aside):
            spans += [Span(", " if place else ""), Span(arm.stack, "stack")]
            spans += [Span(f" ({arm.troubles[0].status})")]
        yield Sentence((*spans, Span(".")))


def _unseen(decision: Decision) -> Iterable[Sentence]:
    """Say what repetitions cannot exclude, however much alike they are."""
    counts = [
        arm.value.repetitions
        for point in decision.points
        for arm in point.ranked
        if arm.value is not None
    ]
    few = min(counts, default=1)
    if few > 1:
        share = round(100 * largest_unseen_share(few))
        yield _sentence(
            f"What none of {few} runs has shown may still happen in up to {share}{SPACE}% of runs."
        )


def _value(arm: RankedArm, objective: Objective) -> str:
    column = objective.column
    if arm.value is None:
        return column.missing
    mean = format_quantity(arm.value.mean, column.unit, missing=column.missing)
    if arm.value.repetitions == 1 or math.isinf(arm.value.mean):
        return mean
    ends = format_range(arm.value, column.unit, missing=column.missing)
    return f"{mean} ({ends}, {arm.value.kind_text})"


def _away(arm: RankedArm, objective: Objective) -> str:
    if arm.margin is None or math.isinf(arm.margin.contrast.change.mean):
        return f"with no {objective.column.label} in some runs"
    direction = "lower" if objective.maximise else "higher"
    change = change_of(arm.margin.contrast, objective.column)
    return f"{change.lstrip(f'+{MINUS}')} {direction}"


def _rules(decision: Decision) -> list[Span]:
    spans: list[Span] = []
    for place, requirement in enumerate(decision.requirements):
        spans += [Span(" and ")] if place else []
        spans.append(Span(shown_rule(requirement), "rule"))
    return spans


def _capitalised(spans: Sequence[Span]) -> list[Span]:
    first, *rest = spans
    if first.kind != "words":
        return [first, *rest]
    return [Span(first.text[:1].upper() + first.text[1:]), *rest]


def _sentence(text: str) -> Sentence:
    return Sentence((Span(text),))

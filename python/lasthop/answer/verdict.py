"""The verdict: a decision in the words of a person."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lasthop.answer.contradictions import contradictions_in_words
from lasthop.answer.decision import Decision, Outcome, PointDecision
from lasthop.answer.requirement_words import in_words
from lasthop.answer.sentences import Sentence, Span, first_names, names, plain
from lasthop.answer.support_words import cautions_of, least_lead, rule_of_ranking, support_at
from lasthop.measures import Kind
from lasthop.referee.row import OVERLOAD

_MOST_LINES = 6
_TOO_FEW = (Span("too little was measured to say whether "),)
_ANSWERED = {Outcome.LEADS, Outcome.TOO_CLOSE, Outcome.ONLY_ONE}


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The answer as a tag, a headline and supporting sentences.

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


def verdict(decision: Decision) -> AnswerVerdict:
    """Put a decision into words."""
    groups = neighbours_with_one_answer(decision.points)
    if not groups:
        return AnswerVerdict("No answer", plain("Nothing was measured."), ())
    first = decision.points[0]
    caution = tuple(cautions_of(decision))
    if len(groups) == 1:
        where = f" at {_all_of(groups[0])}" if len(groups[0]) > 1 else ""
        headline = Sentence((*_capitalised(clause(decision, first)), Span(f"{where}.")))
        support = (
            support_at(decision, first)
            if not where
            else (*least_lead(decision), *rule_of_ranking(decision))
        )
        against = contradictions_in_words(decision)
        return AnswerVerdict(_tag(first), headline, (*against, *support, *caution))
    return AnswerVerdict(
        _tag_of_many(decision),
        _headline_of_many(decision),
        (*_lines(decision, groups), *rule_of_ranking(decision), *caution),
    )


def best_at(decision: Decision, point: PointDecision) -> Sentence:
    """Describe the result at one point in a few words, for a row of a table."""
    return Sentence(tuple(_capitalised(clause(decision, point))))


def clause(decision: Decision, point: PointDecision) -> list[Span]:
    """Describe the result at one point as a part of a sentence."""
    leaders = first_names(point.leaders)
    rules = _all_rules(decision)
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
    """Explain the words and the intervals of a ranking table."""
    objective = decision.objective
    margins = [arm.margin for point in decision.points for arm in point.ranked if arm.margin]
    if objective is None or not margins:
        return ()
    order = "geometric means" if objective.column.kind is Kind.POSITIVE else "means"
    over = [f"{_most_margins(decision)} stacks (Hochberg)"] if _most_margins(decision) > 1 else []
    tested = sum(point.p_value is not None for point in decision.points)
    over += [f"{tested} points (Holm)"] if tested > 1 else []
    corrected = (
        f" Verdicts are corrected for the comparisons of {' and '.join(over)}. Intervals are not."
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
    return plain(f"The answer changes with {varied}.")


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
    leaders, rules = names(point.leaders), _all_rules(decision)
    open_ones = {one.requirement for stack in point.leaders for one in point.too_few(stack)}
    left_open = _listed([rule for rule in decision.requirements if rule in open_ones])
    if len(decision.protocols) == 1:
        alone = [Span(" meets "), *rules] if rules else [Span(" stands alone, with nothing beside")]
        return (
            [*_TOO_FEW, *leaders, Span(" meets "), *left_open] if left_open else [*leaders, *alone]
        )
    if left_open and point.excluded:
        return [
            Span("only "),
            *leaders,
            Span(" is not excluded, and too little was measured to say whether it meets "),
            *left_open,
        ]
    left = [Span(" meets "), *rules] if rules and point.excluded else [Span(" could be judged")]
    return [Span("only "), *leaders, *left]


def _why_none(point: PointDecision) -> str:
    statuses = {trouble.status for arm in point.set_aside for trouble in arm.troubles}
    return "more is offered than the path carries" if OVERLOAD in statuses else "no run completed"


def _unranked(point: PointDecision, rules: Sequence[Span]) -> list[Span]:
    if not rules:
        return [Span("the study asks for no decision; here is what was measured")]
    too_few = [arm.stack for arm in point.ranked if point.too_few(arm.stack)]
    met = [arm.stack for arm in point.ranked if arm.stack not in too_few]
    if not met:
        verb = " meets " if len(too_few) == 1 else " meet "
        return [*_TOO_FEW, *first_names(too_few), Span(verb), *rules]
    verb = " meets " if len(met) == 1 else " meet "
    rest = [Span("; too few to say for "), *first_names(too_few)] if too_few else []
    return [*first_names(met), Span(verb), *rules, *rest]


def _all_rules(decision: Decision) -> list[Span]:
    """Name the only requirement, or count them: what each stack misses is told below."""
    number = len(decision.requirements)
    if number <= 1:
        return _listed(decision.requirements)
    return [Span("both requirements" if number == 2 else f"all {number} requirements")]  # noqa: PLR2004


def _listed(requirements: Sequence[str]) -> list[Span]:
    spans: list[Span] = []
    for place, requirement in enumerate(requirements):
        spans += [Span(" and ")] if place else []
        spans.append(Span(in_words(requirement), "rule"))
    return spans


def _capitalised(spans: Sequence[Span]) -> list[Span]:
    first, *rest = spans
    if first.kind != "words":
        return [first, *rest]
    return [Span(first.text[:1].upper() + first.text[1:]), *rest]

"""Sentences that support a verdict: values, the second-best stack, exclusions."""

import math
from collections.abc import Iterable

from lasthop.answer.contrast_words import change_of, effect_of
from lasthop.answer.decision import Decision, Outcome, PointDecision
from lasthop.answer.quantities import MINUS, SPACE, format_quantity, format_range
from lasthop.answer.ranking import Objective, RankedArm
from lasthop.answer.requirement_words import in_words, missed_in_words
from lasthop.answer.sentences import Sentence, Span, plain
from lasthop.measures import Kind
from lasthop.statistics.intervals import IntervalKind
from lasthop.statistics.unseen import largest_unseen_share

_MOST_EXCLUDED = 4


def support_at(decision: Decision, point: PointDecision) -> Iterable[Sentence]:
    """Give the figures that support the answer at one point."""
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
        yield plain(
            "The runs do not show that they differ by more than the smallest effect that "
            f"matters, {least}."
        )
    if point.outcome is Outcome.NOTHING_QUALIFIES:
        arm = point.excluded[0].arm
        if arm.value is None or math.isinf(arm.value.mean):
            yield plain(f"Nor has any of them a {label}: {objective.why_unmeasured}.")
        else:
            would = f" would come first with a {label} of {_value(arm, objective)}."
            several = "s" if len(decision.requirements) > 1 else ""
            dropped = f"If the requirement{several} were dropped, "
            yield Sentence((Span(dropped), Span(arm.stack, "stack"), Span(would)))


def _excluded(point: PointDecision) -> Iterable[Sentence]:
    """Say which requirement each excluded stack fails, the first one, and by which figure."""
    spans: list[Span] = []
    for left_out in point.excluded[:_MOST_EXCLUDED]:
        why = left_out.because[0]
        spans.append(Span(", " if spans else "Excluded: "))
        spans.append(Span(left_out.arm.stack, "stack"))
        spans.append(Span(f" ({missed_in_words(why.requirement, why.figure)})"))
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


def least_lead(decision: Decision) -> Iterable[Sentence]:
    """Describe where the stack that leads everywhere leads by least, and by how much."""
    objective = decision.objective
    if objective is None or decision.points[0].outcome is not Outcome.LEADS:
        return
    point = min(decision.points, key=_lead)
    leader, follower = point.ranked[:2]
    yield Sentence(
        (
            Span(f"Its lead is least at {point.point.label}: {_value(leader, objective)}; "),
            Span(follower.stack, "stack"),
            Span(f" comes next, {_away(follower, objective)}."),
        )
    )


def _lead(point: PointDecision) -> float:
    margin = point.ranked[1].margin
    return math.inf if margin is None else abs(margin.contrast.change.mean)


def rule_of_ranking(decision: Decision) -> tuple[Sentence, ...]:
    """Describe the ranking measure and the smallest effect that matters."""
    objective = decision.objective
    if objective is None:
        return ()
    what = "highest" if objective.maximise else "lowest"
    least = effect_of(objective.column, objective.smallest_effect)
    label = objective.column.label
    text = f"The {what} {label} wins; a difference of up to {least} does not matter."
    return (plain(text),)


def cautions_of(decision: Decision) -> Iterable[Sentence]:
    """Describe what the repetitions leave open, and which stacks were not judged."""
    kinds = {
        arm.value.kind for point in decision.points for arm in point.ranked if arm.value is not None
    }
    if kinds == {IntervalKind.SINGLE}:
        yield plain("There is one repetition only, so nothing is known about its spread.")
    else:
        yield from _unseen(decision)
    yield from _too_few(decision)
    yield from _bounds(decision)
    elsewhere = [{arm.stack for arm in point.set_aside} for point in decision.points]
    aside = [arm for arm in decision.points[0].set_aside if all(arm.stack in e for e in elsewhere)]
    if aside:
        spans = [Span("Not judged: ")]
        for place, arm in enumerate(aside):
            spans += [Span(", " if place else ""), Span(arm.stack, "stack")]
            spans += [Span(f" ({arm.troubles[0].status})")]
        yield Sentence((*spans, Span(".")))


def _too_few(decision: Decision) -> Iterable[Sentence]:
    """Name for each requirement the stacks of which the runs do not tell whether they meet it."""
    for requirement in decision.requirements:
        found = [
            (arm.stack, point.point.label, one.figure)
            for point in decision.points
            for arm in point.ranked
            for one in point.too_few(arm.stack)
            if one.requirement == requirement
        ]
        if not found:
            continue
        spans = [Span("Too few to say whether "), Span(in_words(requirement), "rule")]
        spans.append(Span(" is met: "))
        for place, (stack, label, figure) in enumerate(found[:_MOST_EXCLUDED]):
            where = f" at {label}" if label else ""
            spans += [Span(", " if place else ""), Span(stack, "stack"), Span(f"{where} {figure}")]
        if len(found) > _MOST_EXCLUDED:
            spans.append(Span(f" and {len(found) - _MOST_EXCLUDED} more"))
        yield Sentence((*spans, Span(".")))


def _bounds(decision: Decision) -> Iterable[Sentence]:
    """Say of a requirement that asks for none how much there can be all the same."""
    for requirement in decision.requirements:
        met = [
            (arm.stack, one.bound)
            for point in decision.points
            for arm in point.ranked
            for one in point.judged.get(arm.stack, ())
            if one.requirement == requirement and one.bound
        ]
        if not met:
            continue
        stack, bound = met[0]
        yield Sentence(
            (
                Span(in_words(requirement), "rule"),
                Span(" is judged by what was observed. The value of "),
                Span(stack, "stack"),
                Span(f" can still be {bound}."),
            )
        )


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
        yield plain(
            f"An event absent from all {few} runs can still have a probability of up to "
            f"{share}{SPACE}% (95{SPACE}% confidence)."
        )


def _value(arm: RankedArm, objective: Objective) -> str:
    column = objective.column
    if arm.value is None:
        return column.missing
    mean = format_quantity(arm.value.mean, column.unit, missing=column.missing)
    if arm.value.repetitions == 1 or math.isinf(arm.value.mean):
        return mean
    if column.kind is Kind.SHARE and arm.value.low == arm.value.high:
        return f"{mean} in each of {arm.value.repetitions} runs"  # that is no interval of a share
    ends = format_range(arm.value, column.unit, missing=column.missing)
    return f"{mean} ({ends}, {arm.value.kind_text})"


def _away(arm: RankedArm, objective: Objective) -> str:
    if arm.margin is None or math.isinf(arm.margin.contrast.change.mean):
        return f"with no {objective.column.label} in some runs"
    direction = "lower" if objective.maximise else "higher"
    change = change_of(arm.margin.contrast, objective.column)
    return f"{change.lstrip(f'+{MINUS}')} {direction}"

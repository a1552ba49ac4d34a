"""Sentences about the answer along a sweep."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from lasthop.answer.crossing import Crossing
from lasthop.answer.decision import Outcome, PointDecision
from lasthop.answer.quantities import format_range
from lasthop.answer.requirement_words import in_words
from lasthop.answer.sentences import Sentence, Span, names
from lasthop.answer.sweeps import Flip, SweepDecision
from lasthop.answer.verdict import neighbours_with_one_answer

_MOST_NAMED = 3


def stretches(sweep: SweepDecision) -> Sentence:
    """Describe the leader on each stretch of a sweep: ``mqtt qos=1 leads from 5 % on``."""
    groups = neighbours_with_one_answer(sweep.decision.points)
    spans = [Span(f"Part {sweep.decision.part}, along {sweep.swept.label}: ")]
    for place, group in enumerate(groups):
        where = _where(sweep, group, first=place == 0, last=place == len(groups) - 1)
        spans += [*([Span("; ")] if place else []), *_who(group[0]), Span(f" {where}")]
    return Sentence((*spans, Span(".")))


def flips(sweep: SweepDecision) -> tuple[Sentence, ...]:
    """Describe the place of each flip and its uncertainty."""
    return tuple(Sentence(tuple(_flip(sweep, flip))) for flip in sweep.flips)


def _who(point: PointDecision) -> list[Span]:
    if point.outcome is Outcome.TOO_CLOSE:
        close = Span(" are too close to call")
        if len(point.leaders) > _MOST_NAMED:
            return [Span(f"{len(point.leaders)} stacks"), close]
        return [*names(point.leaders), close]
    if point.leaders:
        return [*names(point.leaders), Span(" leads")]
    if point.outcome is Outcome.NOTHING_QUALIFIES:
        return [Span("no stack qualifies")]
    if point.outcome is Outcome.NOTHING_RAN:
        return [Span("no stack could be judged")]
    return [Span("no stack has a value")]


def _where(sweep: SweepDecision, group: Sequence[PointDecision], *, first: bool, last: bool) -> str:
    start, end = (sweep.swept.text_of(group[at].point.values[0]) for at in (0, -1))
    if first and last:
        return f"from {start} to {end}"
    if len(group) == 1:
        return f"at {start}"
    if first:
        return f"up to {end}"
    return f"from {start} on" if last else f"from {start} to {end}"


def _flip(sweep: SweepDecision, flip: Flip) -> Iterable[Span]:
    text_of = sweep.swept.text_of
    yield Span(flip.after, "stack")
    yield Span(" takes over from ")
    yield Span(flip.before, "stack")
    yield Span(f" between {text_of(flip.last)} and {text_of(flip.first)}")
    if flip.unclear:
        yield Span(f" (unclear at {', '.join(map(text_of, flip.unclear))})")
    if flip.qualification is not None:
        verb = "stops meeting" if flip.qualification.ends else "begins to meet"
        yield Span(", where ")
        yield Span(flip.qualification.stack, "stack")
        yield Span(f" {verb} ")
        yield Span(in_words(flip.qualification.requirement), "rule")
    if flip.crossing is None:
        yield Span("; one of them has no value, so that it cannot be said where.")
    else:
        what = "; their lines cross at " if flip.qualification is None else ", at "
        yield Span(f"{what}{_position(sweep, flip.crossing)}.")
    yield from _too_few(sweep, flip)


def _too_few(sweep: SweepDecision, flip: Flip) -> Iterable[Span]:
    """Say on which requirements a flip hangs that are too few to say."""
    for (stack, rule), found in groupby(flip.too_few, key=lambda one: (one.stack, one.requirement)):
        at = ", ".join(sweep.swept.text_of(one.at) for one in found)
        yield Span(" It hangs on a requirement with too few to say: ")
        yield Span(in_words(rule), "rule")
        yield Span(" for ")
        yield Span(stack, "stack")
        yield Span(f" at {at}.")


def _position(sweep: SweepDecision, crossing: Crossing) -> str:
    at = crossing.at
    ends = format_range(at, sweep.swept.unit)
    spread = f" ({ends}, {at.kind_text})" if at.repetitions > 1 else ""
    some = ""
    if crossing.crossed < at.repetitions:
        some = f", crossed in {crossing.crossed} of {at.repetitions} repetitions"
    return f"{sweep.swept.text_of(at.mean)}{spread} by interpolation{some}"

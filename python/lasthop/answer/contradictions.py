"""Which requirements cannot hold together, where no stack meets all of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from lasthop.answer.decision import Decision, Outcome
from lasthop.answer.requirement_words import in_words
from lasthop.answer.sentences import Sentence, Span

_MOST_STACKS = 4
_MOST_REQUIREMENTS = 12


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Requirements of which each stack misses at least one, and which are no fewer than that takes.

    Parameters
    ----------
    requirements
        As written.
    missed
        By stack, and point where there are several: the requirements of these that it misses.
    """

    requirements: tuple[str, ...]
    missed: tuple[tuple[str, str, tuple[str, ...]], ...]


def contradictions(decision: Decision) -> tuple[Contradiction, ...]:
    """Find the smallest sets of requirements that no stack meets at any point.

    A requirement that the runs leave open counts as met. Nothing is found where a stack is left.
    """
    missed = list(_missed(decision))
    wanted = decision.requirements
    if not missed or any(not misses for _, _, misses in missed) or len(wanted) > _MOST_REQUIREMENTS:
        return ()
    found: list[tuple[str, ...]] = []
    for size in range(1, len(wanted) + 1):
        for several in combinations(wanted, size):
            together = set(several)
            is_larger = any(together.issuperset(smaller) for smaller in found)
            if not is_larger and all(together & misses for _, _, misses in missed):
                found.append(several)
    return tuple(
        Contradiction(
            several,
            tuple(
                (stack, point, tuple(one for one in several if one in misses))
                for stack, point, misses in missed
            ),
        )
        for several in found
    )


def _missed(decision: Decision) -> Iterable[tuple[str, str, set[str]]]:
    for point in decision.points:
        for arm in point.ranked:
            yield arm.stack, point.point.label, set()
        for left_out in point.excluded:
            misses = {why.requirement for why in left_out.because}
            yield left_out.arm.stack, point.point.label, misses


def contradictions_in_words(decision: Decision) -> Iterable[Sentence]:
    """Name what no stack meets, and what no stack meets together."""
    if len(decision.requirements) < 2:  # noqa: PLR2004  (the headline has told one)
        return
    if any(point.outcome is not Outcome.NOTHING_QUALIFIES for point in decision.points):
        return
    for found in contradictions(decision):
        rules = [Span(in_words(one), "rule") for one in found.requirements]
        if len(rules) == 1:
            where = " at any point" if len(decision.points) > 1 else ""
            yield Sentence((Span("No stack meets "), *rules, Span(f"{where}.")))
        else:
            together = Span("These requirements cannot hold together: ")
            yield Sentence((together, *_joined(rules), Span(". "), *_each(found), Span(".")))


def _each(found: Contradiction) -> list[Span]:
    """Say what each stack misses, those that miss the same together."""
    by_missed: dict[tuple[str, ...], list[str]] = {}
    for stack, point, misses in found.missed:
        by_missed.setdefault(misses, []).append(f"{stack} at {point}" if point else stack)
    spans: list[Span] = []
    for misses, stacks in by_missed.items():
        named = ", ".join(stacks[:_MOST_STACKS])
        more = len(stacks) - _MOST_STACKS
        named += f" and {more} more" if more > 0 else ""
        verb = "misses" if len(stacks) == 1 else "miss"
        spans += [Span("; " if spans else ""), Span(f"{named} {verb} ")]
        spans += _joined([Span(in_words(one), "rule") for one in misses])
    return spans


def _joined(rules: list[Span]) -> list[Span]:
    spans: list[Span] = []
    for place, rule in enumerate(rules):
        if place:
            spans.append(Span(", and " if place == len(rules) - 1 else ", "))
        spans.append(rule)
    return spans

"""Formats a decision as text lines for an interactive Python session."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Self

from lasthop.answer.decision import Decision, PointDecision
from lasthop.answer.quantities import format_quantity, format_range
from lasthop.answer.requirement_words import in_words, missed_in_words
from lasthop.answer.verdict import verdict

_MOST_POINTS = 12
_INDENT = "  "

Row = tuple[str, str, str]


class PrintedDecision(Decision):
    """A decision that Python prints as its headline and a table."""

    __slots__ = ()

    @classmethod
    def of(cls, decision: Decision) -> Self:
        """Return a copy of a decision that can be printed."""
        return cls(**{field.name: getattr(decision, field.name) for field in fields(decision)})

    def __repr__(self) -> str:
        """Return the headline and a table."""
        return decision_table(self)


def decision_table(decision: Decision) -> str:
    """Format the headline, and a line for each stack at each point."""
    lines = [verdict(decision).headline.text]
    for point in decision.points[:_MOST_POINTS]:
        rows = list(_rows(decision, point))
        lines += [f"{point.point.label or 'all runs'}: {point.outcome.value}", *_aligned(rows)]
    hidden = len(decision.points) - _MOST_POINTS
    return "\n".join([*lines, *([f"and {hidden} more points"] if hidden > 0 else [])])


def _rows(decision: Decision, point: PointDecision) -> Iterable[Row]:
    column = decision.objective.column if decision.objective else None
    for arm in point.ranked:
        value = ""
        if column is not None and arm.value is not None:
            mean = format_quantity(arm.value.mean, column.unit, missing=column.missing)
            ends = format_range(arm.value, column.unit, missing=column.missing)
            value = f"{mean} ({ends})"
        too_few = (
            f"{one.met.value}: {in_words(one.requirement)} (is {one.figure})"
            for one in point.too_few(arm.stack)
        )
        value = "; ".join(filter(None, (value, *too_few)))
        yield str(arm.rank), arm.stack, value
    for left_out in point.excluded:
        why = "; ".join(missed_in_words(each.requirement, each.figure) for each in left_out.because)
        yield "-", left_out.arm.stack, f"excluded: {why}"
    for aside in point.set_aside:
        yield "-", aside.stack, "; ".join(f"{why.status}: {why.reason}" for why in aside.troubles)


def _aligned(rows: Sequence[Row]) -> list[str]:
    widths = [max((len(row[place]) for row in rows), default=0) for place in range(2)]
    return [
        f"{_INDENT}{rank:>{widths[0]}}  {stack:<{widths[1]}}  {words}".rstrip()
        for rank, stack, words in rows
    ]

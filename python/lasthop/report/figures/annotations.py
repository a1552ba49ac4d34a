"""Annotations of a figure."""

from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.measures import Measure
from lasthop.report.figures.flip_marks import FlipMark
from lasthop.report.figures.limits import Limit
from lasthop.report.figures.published import PublishedMark


@dataclass(frozen=True, slots=True)
class Annotations:
    """Published values, flip points and requirements in a figure."""

    published: Sequence[PublishedMark] = ()
    flips: Sequence[FlipMark] = ()
    limits: Sequence[Limit] = ()

    def of(self, column: Measure) -> "Annotations":
        """Return those about one measure."""
        return Annotations(
            published=[mark for mark in self.published if mark.column == column.name],
            flips=[mark for mark in self.flips if mark.column == column.name],
            limits=[limit for limit in self.limits if limit.column == column.name],
        )

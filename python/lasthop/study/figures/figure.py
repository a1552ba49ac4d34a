"""A figure of a paper, in a form that a report can draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lasthop.study.claims.claim import Place
    from lasthop.study.claims.measurand import Measurand

Given = Literal["picture", "numbers"]
Side = Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """A value of the paper, in the unit of the figure.

    Parameters
    ----------
    value
        The value, or the bound that the paper names.
    side
        On which side of a bound the paper has it; None of a value.
    text
        As written, with its unit.
    """

    value: float
    side: Side | None
    text: str


@dataclass(frozen=True, slots=True)
class PaperAxis:
    """The axis of a figure: a swept key in the words and the unit of the paper."""

    place: Place
    title: str
    unit: str
    factor: float


@dataclass(frozen=True, slots=True)
class PaperArm:
    """An entry of the legend.

    Parameters
    ----------
    legend
        What the paper calls it.
    study
        The study whose runs it shows.
    part
        None of a study with one part.
    measurands, factor
        What is measured of it, where that is not what the figure measures.
    """

    legend: str
    study: str
    stack: str
    part: str | None
    at: tuple[Place, ...]
    measurands: tuple[Measurand, ...] = ()
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """What a figure or a column of a table shows.

    Parameters
    ----------
    label
        What the axis of values says.
    measurands
        Their values are added.
    factor
        From the unit of the results to that of the paper.
    relative_to
        The arm by whose value the others are divided.
    part, study
        Where the column looks, if not where its arms do.
    published
        By arm; along an axis by position, without one at position None.
    captured
        What captures of the authors say, in the same order.
    """

    title: str
    label: str
    measurands: tuple[Measurand, ...]
    unit: str
    factor: float
    relative_to: str | None
    part: str | None
    study: str | None
    published: Mapping[str, Mapping[float | None, PublishedValue]]
    captured: Mapping[str, Mapping[float | None, PublishedValue]]


def arm_of(arm: PaperArm, column: PaperColumn) -> PaperArm:
    """Give an arm where a column looks for it."""
    return replace(arm, part=column.part or arm.part, study=column.study or arm.study)


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure or a table of a paper.

    Parameters
    ----------
    columns
        One of a chart, several of a table; none of a figure that no run shows.
    not_drawn
        Why no run shows it.
    """

    number: str
    title: str
    source: str | None
    given: Given
    axis: PaperAxis | None
    arms: tuple[PaperArm, ...]
    columns: tuple[PaperColumn, ...]
    is_table: bool
    note: str | None
    not_drawn: str | None

    @property
    def published(self) -> int:
        """How many values of the paper it has."""
        return sum(len(places) for column in self.columns for places in column.published.values())


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """The figures of a paper, and the same as written, for the manifest."""

    paper: str
    figures: tuple[PaperFigure, ...]
    written: Mapping[str, object]

    @property
    def legends(self) -> Sequence[str]:
        """Every entry of every legend, once: each keeps its colour in all figures."""
        return tuple(
            dict.fromkeys(
                arm.legend for one in self.figures if not one.is_table for arm in one.arms
            )
        )

"""Marks at the flip points of a figure along a sweep."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lasthop.answer.sweep_words import flips as flip_sentences
from lasthop.answer.sweeps import Flip, SweepDecision
from lasthop.measures import resolve_column
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.vega_lite import End, Field, Layer, X
from lasthop.study.expressions import parse_expression


@dataclass(frozen=True, slots=True)
class FlipMark:
    """A flip in a figure of one column; positions are in the unit of the swept column.

    Parameters
    ----------
    column : str
        The column whose lines cross there, as in ``runs.parquet``.
    at : float or None
        The crossing; None where it is only known between which points the flip lies.
    low, high : float
        Of the crossing's interval, or the two points.
    text : str
        The flip in words.
    """

    column: str
    at: float | None
    low: float
    high: float
    text: str


def flip_marks(sweeps: Sequence[SweepDecision], part: str) -> tuple[FlipMark, ...]:
    """Return the marks of one part: of what is decided by, and of the requirement that flips it."""
    return tuple(mark for sweep in sweeps if sweep.decision.part == part for mark in _marks(sweep))


def mark_layers(
    marks: Sequence[FlipMark],
    datasets: Datasets,
    x: Callable[[str], X],
    *,
    factor: float,
) -> list[Layer]:
    """Draw the marks over the whole height of a chart; ``x`` lays a field along its axis."""
    if not marks:
        return []
    rows = [
        {
            "x": None if mark.at is None else mark.at * factor,
            "low": mark.low * factor,
            "high": mark.high * factor,
            "flip": mark.text,
        }
        for mark in marks
    ]
    tooltip = Field("flip:N", title="flip")
    reach = (
        Layer(datasets.add(rows))
        .marked("rect", style="flip-range")
        .encoded(x=x("low:Q"), x2=End("high"), tooltip=tooltip)
    )
    known = [row for row in rows if row["x"] is not None]
    rule = (
        Layer(datasets.add(known)).marked("rule", style="flip").encoded(x=x("x:Q"), tooltip=tooltip)
    )
    return [reach, rule] if known else [reach]


def _marks(sweep: SweepDecision) -> Iterable[FlipMark]:
    objective = sweep.decision.objective
    for flip, sentence in zip(sweep.flips, flip_sentences(sweep), strict=True):
        for column in (objective.column.name if objective else None, _required(sweep, flip)):
            if column is not None:
                at = flip.crossing.at if flip.crossing else None
                yield FlipMark(
                    column=column,
                    at=None if at is None else at.mean,
                    low=flip.last if at is None else at.low,
                    high=flip.first if at is None else at.high,
                    text=sentence.text,
                )


def _required(sweep: SweepDecision, flip: Flip) -> str | None:
    if flip.qualification is None:
        return None
    named = parse_expression(flip.qualification.requirement).comparison.column
    return resolve_column(named, sweep.decision.points[0].point.rows.columns)

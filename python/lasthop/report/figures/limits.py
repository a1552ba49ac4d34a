"""The limits that a study requires of a measure, drawn as lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lasthop.answer.decision import Decision
from lasthop.answer.requirement_words import in_words
from lasthop.measures import resolve_column
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.vega_lite import Field, Layer, X, Y
from lasthop.study.expressions import parse_expression


@dataclass(frozen=True, slots=True)
class Limit:
    """A requirement on one measure.

    Parameters
    ----------
    column : str
        As in ``runs.parquet``.
    value : float
        In the unit of the column.
    text : str
        The requirement as the study has it.
    """

    column: str
    value: float
    text: str


def limits_of(decision: Decision) -> tuple[Limit, ...]:
    """Return the limits of what is required of numbers that the runs have."""
    columns = decision.points[0].point.rows.columns if decision.points else ()
    return tuple(
        found
        for requirement in decision.requirements
        if (found := _limit(requirement, columns)) is not None
    )


def limit_layers(
    limits: Sequence[Limit],
    datasets: Datasets,
    *,
    factor: float,
    x: X | None = None,
    y: Y | None = None,
) -> list[Layer]:
    """Draw each limit as a line across a chart, whose values are on the ``x`` or ``y`` axis."""
    if not limits:
        return []
    rows: list[dict[str, Any]] = [
        {"limit": limit.value * factor, "requirement": in_words(limit.text)} for limit in limits
    ]
    across = {"x": x} if x is not None else {"y": y}
    tooltip = Field("requirement:N", title="required")
    rule = Layer(datasets.add(rows)).marked("rule", style="limit")
    return [rule.encoded(tooltip=tooltip, **across)]


def _limit(requirement: str, columns: Sequence[str]) -> Limit | None:
    expression = parse_expression(requirement)
    if expression.is_by_group:  # the figures are of whole runs
        return None
    comparison = expression.comparison
    column = resolve_column(comparison.column, columns)
    if column is None or isinstance(comparison.value, str):
        return None
    return Limit(column, comparison.value, requirement)

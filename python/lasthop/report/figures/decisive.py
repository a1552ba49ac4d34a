"""The figure of the answer: what decides, and what is required, by stack."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lasthop.answer.decision import Decision
from lasthop.measures import measure
from lasthop.report.figures.along_sweep import SweepFigure
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.figure import Figure, sentence_case
from lasthop.report.figures.limits import limits_of
from lasthop.report.source import ReportSource

NAME = "answer"

_MOST_COLUMNS = 3
_MOST_PANELS = 4


def decisive_figure(
    source: ReportSource,
    decision: Decision,
    part: Mapping[str, Any],
    annotations: Annotations,
    *,
    legend: bool,
) -> Figure | None:
    """Draw the measure that decides, and those that are limited, with their limits.

    Without a question that names a number there is none.
    """
    limits = limits_of(decision)
    asked = [decision.objective.column.name] if decision.objective else []
    names = list(dict.fromkeys([*asked, *(limit.column for limit in limits)]))[:_MOST_COLUMNS]
    if not names:
        return None
    *labels, last = (measure(name).label for name in names)
    title = f"{', '.join(labels)} and {last}" if labels else last
    figure = SweepFigure(
        name=NAME,
        title=sentence_case(title),
        columns=tuple(map(measure, names)),
        from_zero=False,
        most_panels=_MOST_PANELS,
    )
    built = figure.build(source, part, replace(annotations, limits=limits), legend=legend)
    return replace(built, name=NAME)

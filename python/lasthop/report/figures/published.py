"""Published figures to be drawn beside ours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.claims.judgement import Finding, Judgement
from lasthop.study.claims.measurand import measurand


@dataclass(frozen=True, slots=True)
class PublishedMark:
    """A published figure about a column, at a point, of a stack.

    Parameters
    ----------
    column : str
        As in ``runs.parquet``.
    value : float
        The published value, or the bound of a threshold.
    text : str
        The claim with its figure, for a tooltip.
    """

    part: str
    column: str
    stack: str
    point: str
    value: float
    text: str


def published_marks(judgements: Sequence[Judgement]) -> tuple[PublishedMark, ...]:
    """Find what can be drawn: published levels of measured columns."""
    return tuple(
        mark
        for judgement in judgements
        for finding in judgement.findings
        if (mark := _mark(judgement, finding)) is not None
    )


def _mark(judgement: Judgement, finding: Finding) -> PublishedMark | None:
    about = measurand(finding.measurand)
    if finding.statistic != "level" or finding.ours is None or len(about.columns) != 1:
        return None
    finite = [end for end in (finding.low, finding.high) if math.isfinite(end)]
    value = math.fsum(finite) / len(finite)
    return PublishedMark(
        part=finding.part,
        column=about.columns[0],
        stack=finding.stack,
        point=finding.point,
        value=(1 - value if about.complement else value) / about.scale,
        text=f"{judgement.id}: {finding.published}",
    )

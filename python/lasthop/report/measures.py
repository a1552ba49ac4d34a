"""Every measure of every part as a table: what the figures show, in numbers."""

from markupsafe import Markup, escape

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.points import Point, points_of
from lasthop.answer.quantities import NOTHING, format_quantity, format_range
from lasthop.measures import Measure, measure
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Row, Styles, fold, small, stack_name, table
from lasthop.report.section import Section
from lasthop.report.series import Measured
from lasthop.report.source import ReportSource

_MOST_ROWS = 1000
_COLUMNS = (
    measure("delivery_ratio"),
    measure("latency_p50_ms"),
    measure("latency_p95_ms"),
    measure("latency_p99_ms"),
    measure("control_bytes_per_100"),
    measure("retransmissions_application"),
)


def measures_section(source: ReportSource, styles: Styles) -> Section | None:
    """Write a table for each part."""
    tables = []
    for part in source.study.get("parts") or ():
        points = points_of(source.runs, part)[: _MOST_ROWS // max(1, len(source.stacks)) + 1]
        rows = [
            [_where(point) or NOTHING, stack_name(arm.stack, styles), *_cells(point, arm)]
            for point in points
            for arm in arms_of(point.rows, source.stacks)
        ]
        if len(rows) > _MOST_ROWS:
            many = Markup("<p>{} has too many points for a table; see runs.parquet.</p>")
            tables.append(many.format(part["name"]))
        elif rows:
            named = points[0].named
            where = sentence_case(named[0][0]) if len(named) == 1 else "Point"
            head = [where, "Stack", "Runs", *(_heading(column) for column in _COLUMNS)]
            body = table(head, rows, numeric=range(2, len(head)))
            tables.append(fold(f"All measures of {part['name']}", body))
    if not tables:
        return None
    digest = "every stack at every point, in numbers"
    return Section("measures", "All measures", digest, Markup().join(tables))


def _heading(column: Measure) -> str:
    return column.heading or sentence_case(column.label)


def _where(point: Point) -> str:
    return point.named[0][1] if len(point.named) == 1 else point.label


def _cells(point: Point, arm: AnswerArm) -> Row:
    if arm.completed.is_empty():
        status = sentence_case(arm.troubles[0].status)
        return [status, *[NOTHING] * len(_COLUMNS)]
    runs = escape(arm.completed.height)
    if arm.overload:
        runs += small(arm.overload.status)
    return [runs, *(_cell(point, arm, column) for column in _COLUMNS)]


def _cell(point: Point, arm: AnswerArm, column: Measure) -> str | Markup:
    """Write a mean with its interval; of an overload the range of its runs alone."""
    found = Measured.of(point, arm, column)
    if found is None:
        return NOTHING
    ends = format_range(found.interval, column.unit, missing=column.missing)
    if found.overloaded:
        return ends
    mean = format_quantity(found.interval.mean, column.unit, missing=column.missing)
    return mean if ends in {mean, NOTHING} else Markup("{}{}").format(mean, small(ends))

"""Every measure of every part as a table: what the figures show, in numbers."""

from lasthop.measures import Measure, measure
from lasthop.report.answer import Styles, stack_name
from lasthop.report.arms import Arm, arms_of
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import table, text
from lasthop.report.points import Point, points_of
from lasthop.report.quantities import NOTHING, format_quantity, format_range
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


def measures_html(source: ReportSource, styles: Styles) -> str:
    """Write a table for each part, folded."""
    tables = []
    for part in source.study.get("parts") or ():
        points = points_of(source.runs, part)[: _MOST_ROWS // max(1, len(source.stacks)) + 1]
        rows = [
            [text(_where(point) or NOTHING), stack_name(arm.stack, styles), *_cells(point, arm)]
            for point in points
            for arm in arms_of(point.rows, source.stacks)
        ]
        if len(rows) > _MOST_ROWS:
            name = text(part["name"])
            tables.append(f"<p>{name} has too many points for a table; see runs.parquet.</p>")
        elif rows:
            named = points[0].named
            where = text(sentence_case(named[0][0])) if len(named) == 1 else "Point"
            head = [where, "Stack", "Runs", *(_heading(column) for column in _COLUMNS)]
            title = text(f"All measures of {part['name']}")
            tables.append(
                f"<details><summary>{title}</summary>"
                f"{table(head, rows, numeric=range(2, len(head)))}</details>"
            )
    return "".join(tables)


def _heading(column: Measure) -> str:
    return text(column.heading or sentence_case(column.label))


def _where(point: Point) -> str:
    return point.named[0][1] if len(point.named) == 1 else point.label


def _cells(point: Point, arm: Arm) -> list[str]:
    if arm.completed.is_empty():
        status = sentence_case(arm.troubles[0].status)
        return [text(status), *[NOTHING] * len(_COLUMNS)]
    remark = f"<small>{arm.overload.status}</small>" if arm.overload else ""
    runs = str(arm.completed.height) + remark
    return [runs, *(_cell(point, arm, column) for column in _COLUMNS)]


def _cell(point: Point, arm: Arm, column: Measure) -> str:
    """Write a mean with its interval; of an overload the range of its runs alone."""
    found = Measured.of(point, arm, column)
    if found is None:
        return NOTHING
    ends = format_range(found.interval, column.unit, missing=column.missing)
    if found.overloaded:
        return text(ends)
    mean = format_quantity(found.interval.mean, column.unit, missing=column.missing)
    spread = "" if ends in {mean, NOTHING} else f"<small>{text(ends)}</small>"
    return text(mean) + spread

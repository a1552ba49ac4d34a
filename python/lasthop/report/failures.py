"""Messages that did not arrive, as tables."""

from markupsafe import Markup

from lasthop.answer.arms import arms_of
from lasthop.answer.failures import Failures
from lasthop.answer.points import points_of
from lasthop.answer.quantities import NOTHING
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Styles, fold, stack_name, table
from lasthop.report.section import Section, counted
from lasthop.report.source import ReportSource

_MOST_ROWS = 200


def failures_section(source: ReportSource, styles: Styles) -> Section | None:
    """Write a table for each part in which messages did not arrive."""
    tables = []
    missing = 0
    for part in source.study.get("parts") or ():
        found = [
            (point, arm.stack, failures)
            for point in points_of(source.runs, part)
            for arm in arms_of(point.rows, source.stacks)
            if not arm.completed.is_empty() and (failures := Failures.of(arm.completed)).reasons
        ][:_MOST_ROWS]
        rows = [
            [
                point.label or NOTHING,
                stack_name(stack, styles),
                failures.offered,
                failures.missing,
                failures.words,
            ]
            for point, stack, failures in found
        ]
        missing += sum(failures.missing for _, _, failures in found)
        if rows:
            name = sentence_case(part["name"].replace("_", " "))
            head = ["Point", "Stack", "Offered", "Missing", "Why"]
            body = table(head, rows, numeric=(2, 3), wide=(4,))
            tables.append(fold(f"{name}: messages that did not arrive", body))
    if not tables:
        return None
    digest = counted(missing, "message")
    return Section("failures", "Messages that did not arrive", digest, Markup().join(tables))

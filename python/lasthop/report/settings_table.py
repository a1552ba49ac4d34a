"""The settings that mattered most, as a table."""

from collections.abc import Sequence

from lasthop.report.decision import Decision
from lasthop.report.markup import bold, code, table
from lasthop.report.quantities import NOTHING, format_change, format_quantity
from lasthop.report.section import Section
from lasthop.report.settings import Setting
from lasthop.report.templating import render
from lasthop.statistics.intervals import IntervalKind

_HEAD = ("Setting", "Of", "Part", "Best", "Worst", "Worse by", "Interval", "Pairs", "Remarks")


def settings_section(settings: Sequence[Setting], decision: Decision) -> Section | None:
    """Write the table; nothing without a setting that was compared."""
    objective = decision.objective
    if not settings or objective is None:
        return None
    rows = [
        [
            code(setting.name),
            setting.subject,
            setting.part,
            setting.best,
            setting.worst,
            bold(format_change(setting.movement.mean)),
            movement_range(setting),
            setting.cases,
            remark(setting, objective.smallest_effect),
        ]
        for setting in settings
    ]
    reading = (
        f"How much worse the {objective.column.label} is with the worst value than with the best, "
        "over pairs of arms that differ in this setting and nothing else."
    )
    body = render("told_table.html", reading=reading, table=table(_HEAD, rows, numeric=(5, 6, 7)))
    return Section(
        "settings", "Settings that mattered most", f"{settings[0].name} most of all", body
    )


def movement_range(setting: Setting) -> str:
    """Write the interval of a movement."""
    movement = setting.movement
    if movement.kind is IntervalKind.SINGLE or not setting.cases:
        return NOTHING
    return f"{format_change(movement.low)} to {format_change(movement.high)}"


def remark(setting: Setting, smallest_effect: float) -> str:
    """Say whether a movement matters, and what could not be compared."""
    remarks = []
    if -smallest_effect <= setting.movement.low and setting.movement.high <= smallest_effect:
        remarks.append(f"within {format_quantity(smallest_effect, 'fraction')}")
    if setting.beyond:
        remarks.append(f"{setting.beyond} pairs without a ratio")
    return "; ".join(remarks)

"""The settings that mattered most, as a table."""

from collections.abc import Sequence

from lasthop.answer.decision import Decision
from lasthop.answer.quantities import NOTHING, format_change, format_quantity
from lasthop.answer.settings import Setting
from lasthop.report.markup import table, text
from lasthop.statistics.intervals import IntervalKind

_HEAD = ("Setting", "Of", "Part", "Best", "Worst", "Worse by", "Interval", "Pairs", "Remarks")


def settings_html(settings: Sequence[Setting], decision: Decision) -> str:
    """Write the table; nothing without a setting that was compared."""
    objective = decision.objective
    if not settings or objective is None:
        return ""
    rows = [
        [
            f"<code>{text(setting.name)}</code>",
            text(setting.subject),
            text(setting.part),
            text(setting.best),
            text(setting.worst),
            f"<b>{text(format_change(setting.movement.mean))}</b>",
            text(movement_range(setting)),
            str(setting.cases),
            text(remark(setting, objective.smallest_effect)),
        ]
        for setting in settings
    ]
    reading = (
        f"How much worse the {objective.column.label} is with the worst value than with the best, "
        "over pairs of arms that differ in this setting and nothing else."
    )
    return (
        '<section class="settings" id="settings"><h2>Settings that mattered most</h2>'
        f"<p>{text(reading)}</p>{table(_HEAD, rows, numeric=(5, 6, 7))}</section>"
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

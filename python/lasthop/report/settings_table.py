"""The settings that mattered most, as a table."""

from collections.abc import Sequence

from lasthop.measures import Kind
from lasthop.report.contrast_words import change_in_words, effect_of
from lasthop.report.decision import Decision
from lasthop.report.markup import table, text
from lasthop.report.quantities import NOTHING
from lasthop.report.ranking import Objective
from lasthop.report.settings import Setting
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
            f"<b>{text(change_in_words(setting.movement.mean, objective.column))}</b>",
            text(movement_range(setting, objective)),
            str(setting.cases),
            text(remark(setting, objective)),
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


def movement_range(setting: Setting, objective: Objective) -> str:
    """Write the interval of a movement."""
    movement = setting.movement
    if movement.kind is IntervalKind.SINGLE or not setting.cases:
        return NOTHING
    low, high = (change_in_words(end, objective.column) for end in (movement.low, movement.high))
    return f"{low} to {high}"


def remark(setting: Setting, objective: Objective) -> str:
    """Say whether a movement matters, and what could not be compared."""
    remarks = []
    smallest = objective.smallest_effect
    comparable = objective.column.kind in {Kind.POSITIVE, Kind.SHARE}
    if comparable and -smallest <= setting.movement.low and setting.movement.high <= smallest:
        remarks.append(f"within {effect_of(objective.column, smallest)}")
    if setting.beyond:
        remarks.append(f"{setting.beyond} pairs without a ratio")
    return "; ".join(remarks)

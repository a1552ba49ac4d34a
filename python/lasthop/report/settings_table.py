"""The settings that mattered most, as a table."""

from collections.abc import Sequence

from lasthop.answer.decision import Decision
from lasthop.answer.quantities import format_change
from lasthop.answer.setting_words import movement_range, remark
from lasthop.answer.settings import Setting
from lasthop.report.markup import table, text

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

"""The settings that mattered most, as a table."""

from collections.abc import Sequence

from lasthop.answer.contrast_words import change_in_words
from lasthop.answer.decision import Decision
from lasthop.answer.quantities import NOTHING
from lasthop.answer.ranking import Objective
from lasthop.answer.setting_words import movement_range, remark
from lasthop.answer.settings import Setting
from lasthop.report.markup import bold, code, table
from lasthop.report.section import Section
from lasthop.report.templating import render

_HEAD = (
    "Setting",
    "Of",
    "Stack",
    "Part",
    "Best",
    "Worst",
    "Worse by",
    "Interval",
    "Pairs",
    "Remarks",
)


def settings_section(settings: Sequence[Setting], decision: Decision) -> Section | None:
    """Write the table; nothing without a setting that was compared."""
    objective = decision.objective
    if not settings or objective is None:
        return None
    rows = [
        [
            code(setting.name),
            setting.subject,
            setting.stack or "",
            setting.part,
            setting.best,
            setting.worst,
            bold(
                change_in_words(setting.movement.mean, objective.column)
                if setting.cases
                else NOTHING
            ),
            movement_range(setting, objective),
            setting.cases,
            remark(setting, objective),
        ]
        for setting in settings
    ]
    reading = (
        f"How much worse the {objective.column.label} is with the worst value than with the best, "
        "over pairs of arms that differ in this setting and nothing else. Settings that change a "
        "verdict come first. The p-value tests that the setting moves all stacks alike."
    )
    body = render("told_table.html", reading=reading, table=table(_HEAD, rows, numeric=(6, 7, 8)))
    return Section(
        "settings", "Settings that mattered most", f"{settings[0].name} most of all", body
    )


def _change(setting: Setting, objective: Objective) -> str:
    if not setting.cases:
        return NOTHING
    return change_in_words(setting.movement.mean, objective.column)

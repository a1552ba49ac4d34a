"""Energy of a device in numbers: battery, energy by cause, time by state."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.points import points_of
from lasthop.answer.quantities import NOTHING, format_quantity, format_range
from lasthop.measures import ENERGY_CAUSES, RADIO_STATES
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Styles, bold, fold, small, stack_name, table
from lasthop.report.section import Section
from lasthop.report.source import ReportSource
from lasthop.report.templating import render
from lasthop.statistics.intervals import interval

_JOULES = {f"energy_{cause}_j": cause for cause in ENERGY_CAUSES}
_SECONDS = {f"radio_{state}_s": state for state in RADIO_STATES}
_SET_UP = "energy_set_up_j"
_STEADY = "energy_steady_j"
_DAY_S = 86_400.0
_MOST_ROWS = 200


def energy_section(source: ReportSource, styles: Styles) -> Section | None:
    """Write two tables for each part whose devices stay and have radios; nothing without any."""
    parts = [
        written
        for part in source.study.get("parts") or ()
        if (written := _part(source, part, styles))
    ]
    if not parts:
        return None
    reading = (
        "What a device draws in a day, and what its radio does meanwhile: means over the "
        "repetitions and over all devices. A battery feeds the set-up of its device once, and then "
        "the steady state. The set-up ends when the radio is idle after the first session, or with "
        "that session where a message is due before. Energy a day, causes and states have all of "
        "the measured time."
    )
    if source.has_weights:
        reading += (
            " The battery life is that of the fleet. Causes and states are added over the "
            "simulated devices, without their weights in the fleet."
        )
    kept_in_mind = "".join(f" {sentence_case(one)}." for one in source.study.get("cautions", ()))
    tables = Markup().join(parts)
    body = render("told_table.html", reading=reading + kept_in_mind, table=tables)
    return Section(
        "energy-of-a-device", "Energy of a device", "joules a day by cause, hours by state", body
    )


def _part(source: ReportSource, part: Mapping[str, Any], styles: Styles) -> Markup:
    found = [
        (point, arm)
        for point in points_of(source.runs, part)
        for arm in arms_of(point.rows, source.stacks)
        if _stays(arm)
    ]
    if not found:
        return Markup()
    if len(found) > _MOST_ROWS:
        many = Markup("<p>{} has too many points for a table; see runs.parquet.</p>")
        return many.format(part["name"])
    joules = _used([arm for _, arm in found], _JOULES)
    seconds = _used([arm for _, arm in found], _SECONDS)
    named = [sentence_case(name) for name, _ in found[0][0].named]
    arms = [
        [*(value for _, value in point.named), stack_name(arm.stack, styles)]
        for point, arm in found
    ]
    by_cause = [
        [*cells, _battery(arm), _set_up(arm), bold(_a_day(arm, [_STEADY], "J"))]
        + [_a_day(arm, list(_JOULES), "J")]
        + [_a_day(arm, [column], "J") for column in joules]
        for cells, (_, arm) in zip(arms, found, strict=True)
    ]
    by_state = [
        [*cells, *(_a_day(arm, [column], "s") for column in seconds)]
        for cells, (_, arm) in zip(arms, found, strict=True)
    ]
    causes = ["Battery life", "Set-up of all devices", "Steady state a day", "Energy a day"]
    causes += _words(joules, _JOULES)
    name = sentence_case(part["name"].replace("_", " "))
    return Markup().join(
        fold(
            f"{name}: {what}",
            table(
                [*named, "Stack", *heads],
                rows,
                numeric=range(len(named) + 1, len(named) + 1 + len(heads)),
            ),
            opened=True,
        )
        for what, heads, rows in (
            ("what the energy of a day is for", causes, by_cause),
            ("what the radio does in a day", _words(seconds, _SECONDS), by_state),
        )
    )


def _stays(arm: AnswerArm) -> bool:
    return {"battery_years", _SET_UP, _STEADY} <= set(arm.completed.columns) and bool(
        arm.completed["battery_years"].is_not_null().any()
    )


def _used(arms: Sequence[AnswerArm], columns: Mapping[str, str]) -> list[str]:
    return [
        name
        for name in columns
        if any(name in arm.completed.columns and arm.completed[name].sum() for arm in arms)
    ]


def _battery(arm: AnswerArm) -> Markup:
    years = interval(arm.completed["battery_years"].drop_nulls().to_list())
    mean, ends = format_quantity(years.mean, "years"), format_range(years, "years")
    return bold(mean) + ("" if ends in {mean, NOTHING} else small(ends))


def _set_up(arm: AnswerArm) -> str:
    return format_quantity(arm.mean(_SET_UP), "J")


def _a_day(arm: AnswerArm, columns: Sequence[str], unit: str) -> str:
    """Write a sum of columns for a day of one device: all its radio time is in some state."""
    # Results of an earlier version lack the causes that came later.
    known = [name for name in columns if name in arm.completed.columns]
    rows = arm.completed.select(
        pl.sum_horizontal(known) / pl.sum_horizontal(list(_SECONDS)) * _DAY_S
    )
    mean = rows.to_series().mean()
    return format_quantity(mean if isinstance(mean, float) else None, unit)


def _words(columns: Sequence[str], names: Mapping[str, str]) -> list[str]:
    return [sentence_case(names[column].replace("_", " ")) for column in columns]

"""Results of each stack by group and stratum, folded if they are long."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.by_group import DecisionByGroup, answer_by_group
from lasthop.answer.decision import PointDecision
from lasthop.answer.quantities import NOTHING, format_quantity, format_range
from lasthop.answer.samples import Sample
from lasthop.answer.sentences import Sentence
from lasthop.answer.verdict import best_at, how_to_read
from lasthop.measures import measure
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Row, Styles, bold, fold, pill, sentence, small, stack_name, table
from lasthop.report.section import Section, counted
from lasthop.report.templating import render
from lasthop.statistics.intervals import Interval

_SHOWN = {
    "delivery_ratio": "Delivery",
    "latency_p95_ms": "p95 latency",
    "battery_years": "Battery life",
}
_MOST_PLACES = 100
_MOST_OPEN_ROWS = 12
_MOST_ROWS = 20


def by_group_table(found: DecisionByGroup | None, styles: Styles) -> Markup:
    """Write a row for each place and stack; nothing where there are none, or too many to skim."""
    if found is None or _is_long(found):
        return Markup()
    drawn, notes = _table_and_notes(found, styles, found.decision.points)
    return render("ranking.html", tables=[(f"By {found.name}", drawn)], notes=notes)


def by_group_section(found: DecisionByGroup | None, styles: Styles) -> Section | None:
    """Fold the same table away where it is long."""
    if found is None or not _is_long(found):
        return None
    points = found.decision.points[:_MOST_PLACES]
    first, more = _first(found, points)
    drawn, notes = _table_and_notes(found, styles, first)
    tables = [("", drawn)]
    if more:
        beyond, _ = _table_and_notes(found, styles, more)
        tables.append(("", fold(counted(len(more), "more place"), beyond)))
    body = render("ranking.html", tables=tables, notes=notes)
    places = counted(len(found.decision.points), "place")
    return Section("by-group", f"By {found.name}", places, body)


def beside_the_fleet(found: DecisionByGroup | None) -> tuple[Sentence, ...]:
    """Describe where the answer differs from that of the fleet; empty if this was not asked."""
    said = None if found is None else answer_by_group(found)
    return () if said is None else (said,)


def _is_long(found: DecisionByGroup) -> bool:
    rows = sum(len(point.in_order) for point in found.decision.points)
    return rows > _MOST_OPEN_ROWS


def _first(
    found: DecisionByGroup, points: Sequence[PointDecision]
) -> tuple[list[PointDecision], list[PointDecision]]:
    """Divide the places: those that a reader sees first, and the others.

    Those that differ from the fleet come first.
    """
    first: list[int] = []
    rows = 0
    order = sorted(range(len(points)), key=lambda place: points[place] not in found.differing)
    for place in order:
        rows += len(points[place].in_order)
        if first and rows > _MOST_ROWS:
            break
        first.append(place)
    shown = set(first)
    return (
        [point for place, point in enumerate(points) if place in shown],
        [point for place, point in enumerate(points) if place not in shown],
    )


def _table_and_notes(
    found: DecisionByGroup, styles: Styles, shown: Sequence[PointDecision]
) -> tuple[Markup, tuple[str, ...]]:
    points = found.decision.points
    arms = [(point, arm) for point in shown for arm in arms_of(point.point.rows, point.in_order)]
    columns = [name for name in _SHOWN if any(_has(arm, name) for _, arm in arms)]
    conditions = [name for name, _ in points[0].point.named]
    ranked = not found.unmeasured and answer_by_group(found) is not None
    answers = ["Answer"] if ranked else []
    rows: list[Row] = []
    last: PointDecision | None = None
    for point, arm in arms:
        first, last = point is not last, point
        where = [value if first else "" for _, value in point.point.named]
        answer = [_answer(found, point, styles) if first else ""] if ranked else []
        cells = [_cell(arm, name) for name in columns]
        rows.append([*where, stack_name(arm.stack, styles), *cells, *answer])
    head = [*map(sentence_case, conditions), "Stack", *(_SHOWN[name] for name in columns), *answers]
    start = len(conditions) + 1
    drawn = table(head, rows, numeric=range(start, start + len(columns)), wide=(len(head) - 1,))
    hidden = max(0, len(points) - _MOST_PLACES)
    left_out = (f"{hidden} more are in groups.parquet.",) if hidden else ()
    return drawn, (*how_to_read(found.decision), *_kinds(arms, columns), *left_out)


def _answer(found: DecisionByGroup, point: PointDecision, styles: Styles) -> Markup:
    said = sentence(best_at(found.decision, point), styles)
    if point not in found.differing:
        return said
    return Markup("{} {}").format(said, pill("unlike the fleet"))


def _has(arm: AnswerArm, name: str) -> bool:
    return name in arm.completed.columns and bool(arm.completed[name].is_not_null().any())


def _kinds(
    arms: Sequence[tuple[PointDecision, AnswerArm]], columns: Sequence[str]
) -> tuple[str, ...]:
    """Say what stands below the means."""
    found = (_interval(arm, name) for _, arm in arms for name in columns)
    kinds = dict.fromkeys(one.kind_text for one in found if one and one.repetitions > 1)
    return (f"Means over the runs; below each its {' or '.join(kinds)}.",) if kinds else ()


def _cell(arm: AnswerArm, name: str) -> str | Markup:
    column = measure(name)
    found = _interval(arm, name)
    if found is None:
        return NOTHING
    mean = format_quantity(found.mean, column.unit, missing=column.missing)
    ends = format_range(found, column.unit, missing=column.missing)
    return bold(mean) + ("" if ends in {mean, NOTHING} else small(ends))


def _interval(arm: AnswerArm, name: str) -> Interval | None:
    column = measure(name)
    sample = Sample.of(arm, column, worst=math.inf)
    return sample.interval() if sample.values else None

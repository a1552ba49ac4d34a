"""The answer: the verdict card and the ranked tables."""

from collections.abc import Sequence

from markupsafe import Markup

from lasthop.answer.arms import arms_of
from lasthop.answer.contrast_words import change_of, effect_of, range_of
from lasthop.answer.decision import Decision, PointDecision
from lasthop.answer.quantities import NOTHING, format_quantity, format_range
from lasthop.answer.ranking import Margin, Objective, RankedArm
from lasthop.answer.requirement_words import in_words
from lasthop.answer.sentences import Sentence
from lasthop.answer.verdict import best_at, how_to_read, verdict
from lasthop.measures import measure
from lasthop.referee.row import OVERLOAD
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import (
    Row,
    Styles,
    bold,
    lines,
    pill,
    sentence,
    small,
    stack_name,
    table,
    warning,
)
from lasthop.report.section import Section, counted
from lasthop.report.templating import render

_MOST_POINTS = 100
_MOST_OPEN_POINTS = 6

_MEASURED = tuple(map(measure, ("delivery_ratio", "latency_p50_ms", "latency_p95_ms")))

_MOODS = {
    "Clear": "clear",
    "Only one left": "clear",
    "One answer for all": "clear",
    "No answer": "nothing",
}


def card(decision: Decision, styles: Styles, *, beside: Sequence[Sentence] = ()) -> Markup:
    """Write the verdict: the answer, what it rests on, and what is to be said beside it."""
    said = verdict(decision)
    return render(
        "verdict.html",
        mood=_MOODS.get(said.tag, "open"),
        tag=said.tag,
        question=_question(decision),
        headline=sentence(said.headline, styles),
        support=[sentence(line, styles) for line in (*said.support, *beside)],
    )


def ranking(decision: Decision, styles: Styles) -> Markup:
    """Write the ranking where there is one point; of several, the best at each."""
    if len(decision.points) == 1:
        return render("ranking.html", **_point(decision, decision.points[0], styles))
    if not decision.points or len(decision.points) > _MOST_OPEN_POINTS:
        return Markup()
    overview = [("", _overview(decision, styles))]
    return render("ranking.html", tables=overview, notes=how_to_read(decision))


def points_section(decision: Decision, styles: Styles) -> Section | None:
    """Write the ranking at each of several points."""
    if len(decision.points) < 2:  # noqa: PLR2004  (one stands below the card)
        return None
    shown = decision.points[:_MOST_POINTS]
    points = [
        (
            sentence_case(point.point.label),
            render("ranking.html", **_point(decision, point, styles)),
        )
        for point in shown
    ]
    many = len(decision.points) > _MOST_OPEN_POINTS
    body = render(
        "points.html",
        overview=_overview(decision, styles) if many else None,
        points=points,
        hidden=len(decision.points) - len(shown),
        shown=len(shown),
    )
    return Section("points", "Point by point", counted(len(decision.points), "point"), body)


def _question(decision: Decision) -> str:
    objective = decision.objective
    wanted = ""
    if objective is not None:
        wanted = f"{'most' if objective.maximise else 'least'} {objective.column.label}"
    required = " and ".join(map(in_words, decision.requirements))
    if wanted and required:
        return f"{sentence_case(wanted)} among stacks with {required}"
    return sentence_case(wanted) or (f"Stacks with {required}" if required else "")


def _overview(decision: Decision, styles: Styles) -> Markup:
    objective = decision.objective
    swept = [name for name, _ in decision.points[0].point.named]
    head = [sentence_case(swept[0]) if len(swept) == 1 else "Point", "Answer"]
    rows: list[Row] = []
    for point in decision.points[:_MOST_POINTS]:
        where = point.point.named[0][1] if len(swept) == 1 else point.point.label
        row: list[object] = [where, sentence(best_at(decision, point), styles)]
        if objective is not None:
            row += _best_cells(point, objective, styles)
        rows.append(row)
    if objective is not None:
        head += [f"Best {objective.column.label}", "Interval", "Next", "Away"]
    return table(head, rows, numeric=(2, 3, 5), wide=(1,))


def _best_cells(point: PointDecision, objective: Objective, styles: Styles) -> Row:
    if not point.leaders:
        return [NOTHING] * 4
    leader, *others = point.ranked
    following = [
        cell
        for other in others[:1]
        for cell in (stack_name(other.stack, styles), _change(other.margin, objective))
    ]
    mean, ends = _value_cells(leader, objective)
    return [mean, ends, *(following or [NOTHING, NOTHING])]


def _point(decision: Decision, point: PointDecision, styles: Styles) -> dict[str, Sequence[object]]:
    notes = how_to_read(decision) if len(decision.points) == 1 else ()
    tables = [
        _ranked_table(decision, point, styles),
        _excluded_table(decision, point, styles),
        _aside_table(point, styles),
    ]
    return {"tables": [(title, found) for title, found in tables if found], "notes": notes}


def _aside_table(point: PointDecision, styles: Styles) -> tuple[str, Markup]:
    rows = [
        [
            stack_name(arm.stack, styles),
            ", ".join(dict.fromkeys(trouble.status for trouble in arm.troubles)),
            "; ".join(dict.fromkeys(trouble.reason for trouble in arm.troubles)),
        ]
        for arm in point.set_aside
    ]
    found = table(["Stack", "Status", "Reason"], rows, wide=(2,)) if rows else Markup()
    return "Not judged", found


def _measured_table(point: PointDecision, styles: Styles) -> Markup:
    """Write what was measured of stacks that nothing ranks."""
    names = [arm.stack for arm in point.ranked]
    arms = {arm.stack: arm for arm in arms_of(point.point.rows, names)}
    rows: list[Row] = []
    for ranked in point.ranked:
        arm = arms[ranked.stack]
        row: list[object] = [stack_name(ranked.stack, styles)]
        for column in _MEASURED:
            mean = arm.mean(column.name) if column.name in arm.completed.columns else None
            hangs = column.is_waiting and arm.overload is not None
            row.append(format_quantity(mean, column.unit, missing=OVERLOAD if hangs else NOTHING))
        rows.append([*row, _warnings(ranked)])
    heads = [sentence_case(column.heading or column.label) for column in _MEASURED]
    return table(["Stack", *heads, "Remarks"], rows, numeric=(1, 2, 3))


def _ranked_table(decision: Decision, point: PointDecision, styles: Styles) -> tuple[str, Markup]:
    objective, ranked = decision.objective, point.ranked
    if objective is None:
        too_few = any(point.too_few(arm.stack) for arm in ranked)
        title = "Not excluded" if too_few else "Meets every requirement"
        title = title if decision.requirements else ""
        return title, _measured_table(point, styles) if ranked else Markup()
    if not ranked:
        return "", Markup()
    rows_of_arms = [
        [
            arm.rank,
            stack_name(arm.stack, styles),
            *_value_cells(arm, objective),
            _change(arm.margin, objective),
            _change_interval(arm.margin, objective),
            _remark(arm, objective),
        ]
        for arm in ranked
    ]
    head = ["", "Stack", sentence_case(objective.column.label), "Interval"]
    head += ["To the leader", "Its interval", "Remarks"]
    return "", table(head, rows_of_arms, numeric=(2, 3, 4, 5))


def _excluded_table(decision: Decision, point: PointDecision, styles: Styles) -> tuple[str, Markup]:
    objective = decision.objective
    rows: list[Row] = []
    for excluded in point.excluded:
        row: list[object] = [
            stack_name(excluded.arm.stack, styles),
            lines(in_words(reason.requirement) for reason in excluded.because),
            lines(bold(reason.figure) for reason in excluded.because),
        ]
        if objective is not None:
            row += _value_cells(excluded.arm, objective)
        rows.append(row)
    head = ["Stack", "Does not meet", "It has"]
    title = "Excluded"
    if objective is not None:
        head += [sentence_case(objective.column.label), "Interval"]
        if not point.ranked:
            title = "If the requirement were dropped"
    return title, table(head, rows, numeric=(2, 3, 4)) if rows else Markup()


def _value_cells(arm: RankedArm, objective: Objective) -> Row:
    column = objective.column
    if arm.value is None:
        return [NOTHING, NOTHING]
    mean = format_quantity(arm.value.mean, column.unit, missing=column.missing)
    ends = format_range(arm.value, column.unit, missing=column.missing)
    if arm.value.repetitions == 1:
        return [bold(mean), ends]
    return [bold(mean), Markup("{}{}").format(ends, small(arm.value.kind_text))]


def _change(margin: Margin | None, objective: Objective) -> str:
    return NOTHING if margin is None else change_of(margin.contrast, objective.column)


def _change_interval(margin: Margin | None, objective: Objective) -> str | Markup:
    ends = "" if margin is None else range_of(margin.contrast, objective.column)
    if margin is None or not ends:
        return NOTHING
    return Markup("{}{}").format(ends, small(margin.contrast.interval.kind_text))


def _remark(arm: RankedArm, objective: Objective) -> Markup:
    remarks: list[Markup | str] = []
    if arm.margin is not None and arm.margin.too_close:
        least = effect_of(objective.column, objective.smallest_effect)
        why = f"within {least}" if arm.margin.negligible else "not told apart"
        remarks.append(pill("too close to call") + " " + small(why))
    if arm.value is not None and 0 < arm.value.unreached < arm.value.repetitions:
        remarks.append(f"not reached in {arm.value.unreached} of {arm.value.repetitions} runs")
    return lines([*remarks, *map(warning, arm.warnings)])


def _warnings(arm: RankedArm) -> Markup:
    return lines(map(warning, arm.warnings))

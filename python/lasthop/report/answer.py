"""The answer as HTML: the verdict card and the ranked tables."""

from collections.abc import Mapping, Sequence

from lasthop.report.contrast_words import change_of, effect_of, range_of
from lasthop.report.decision import Decision, PointDecision
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import sentence, stack_mark, table, text
from lasthop.report.quantities import NOTHING, format_quantity, format_range
from lasthop.report.ranking import Margin, Objective, RankedArm
from lasthop.report.styles import StackStyle
from lasthop.report.verdict import best_at, how_to_read, shown_rule, verdict

_MOST_OPEN_POINTS = 2
_MOST_POINTS = 100

_MOODS = {
    "Clear": "clear",
    "Only one left": "clear",
    "One answer for all": "clear",
    "No answer": "nothing",
}

Styles = Mapping[str, StackStyle]


def answer_html(decision: Decision, styles: Styles) -> str:
    """Write the verdict, then what supports it at each point."""
    said = verdict(decision)
    support = "".join(f"<p>{sentence(line, styles)}</p>" for line in said.support)
    card = (
        f'<section class="verdict {_MOODS.get(said.tag, "open")}" id="answer">'
        f'<p class="eyebrow"><span class="pill">{text(said.tag)}</span>'
        f"<span>{text(_question(decision))}</span></p>"
        f"<h2>{sentence(said.headline, styles)}</h2>{support}</section>"
    )
    return card + _tables(decision, styles)


def stack_name(stack: str, styles: Styles) -> str:
    """Write a stack with its mark."""
    mark = stack_mark(styles[stack]) if stack in styles else ""
    return f'<span class="stack-name">{mark}<span>{text(stack)}</span></span>'


def _question(decision: Decision) -> str:
    objective = decision.objective
    wanted = ""
    if objective is not None:
        wanted = f"{'most' if objective.maximise else 'least'} {objective.column.label}"
    required = " and ".join(map(shown_rule, decision.requirements))
    if wanted and required:
        return f"{sentence_case(wanted)} among stacks with {required}"
    return sentence_case(wanted) or (f"Stacks with {required}" if required else "")


def _tables(decision: Decision, styles: Styles) -> str:
    if len(decision.points) == 1:
        only = _point_html(decision, decision.points[0], styles)
        return f'<section class="ranking">{only}</section>' if only else ""
    if not decision.points:
        return ""
    shown = decision.points[:_MOST_POINTS]
    opened = len(shown) <= _MOST_OPEN_POINTS
    details = "".join(
        f"<details{' open' if opened else ''}><summary>{text(sentence_case(point.point.label))}"
        f"</summary>{_point_html(decision, point, styles)}</details>"
        for point in shown
    )
    if len(shown) < len(decision.points):
        details += f"<p>The first {len(shown)} of {len(decision.points)} points are shown.</p>"
    return (
        f'<section class="ranking"><h2>Point by point</h2>{_overview(decision, styles)}'
        f'<div class="points">{details}</div></section>'
    )


def _overview(decision: Decision, styles: Styles) -> str:
    objective = decision.objective
    swept = [name for name, _ in decision.points[0].point.named]
    head = [text(sentence_case(swept[0])) if len(swept) == 1 else "Point", "Answer"]
    rows = []
    for point in decision.points[:_MOST_POINTS]:
        where = point.point.named[0][1] if len(swept) == 1 else point.point.label
        row = [text(where), sentence(best_at(decision, point), styles)]
        if objective is not None:
            row += _best_cells(point, objective, styles)
        rows.append(row)
    if objective is not None:
        head += [f"Best {text(objective.column.label)}", "Interval", "Next", "Away"]
    return table(head, rows, numeric=(2, 3, 5), wide=(1,))


def _best_cells(point: PointDecision, objective: Objective, styles: Styles) -> list[str]:
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


def _point_html(decision: Decision, point: PointDecision, styles: Styles) -> str:
    pieces = []
    if point.ranked:
        pieces.append(_ranked_table(decision, point.ranked, styles))
    if point.excluded:
        pieces.append(_excluded_table(decision, point, styles))
    if point.set_aside:
        rows = [
            [
                stack_name(arm.stack, styles),
                text(", ".join(dict.fromkeys(trouble.status for trouble in arm.troubles))),
                text("; ".join(dict.fromkeys(trouble.reason for trouble in arm.troubles))),
            ]
            for arm in point.set_aside
        ]
        pieces.append("<h3>Not judged</h3>" + table(["Stack", "Status", "Reason"], rows, wide=(2,)))
    return "".join(pieces)


def _ranked_table(decision: Decision, ranked: Sequence[RankedArm], styles: Styles) -> str:
    objective = decision.objective
    if objective is None:
        if not any(arm.warnings for arm in ranked) and not decision.requirements:
            return ""
        rows = [[stack_name(arm.stack, styles), _warnings(arm)] for arm in ranked]
        title = "<h3>Meets every requirement</h3>" if decision.requirements else ""
        return title + table(["Stack", "Remarks"], rows)
    rows = [
        [
            str(arm.rank),
            stack_name(arm.stack, styles),
            *_value_cells(arm, objective),
            _change(arm.margin, objective),
            _change_interval(arm.margin, objective),
            _remark(arm, objective),
        ]
        for arm in ranked
    ]
    head = ["", "Stack", text(sentence_case(objective.column.label)), "Interval"]
    heads = [*head, "To the leader", "Its interval", "Remarks"]
    return table(heads, rows, numeric=(2, 3, 4, 5)) + _notes(decision)


def _notes(decision: Decision) -> str:
    return "".join(f"<p><small>{text(note)}</small></p>" for note in how_to_read(decision))


def _excluded_table(decision: Decision, point: PointDecision, styles: Styles) -> str:
    objective = decision.objective
    rows = []
    for excluded in point.excluded:
        reasons = "<br>".join(text(shown_rule(reason.requirement)) for reason in excluded.because)
        figures = "<br>".join(f"<b>{text(reason.figure)}</b>" for reason in excluded.because)
        row = [stack_name(excluded.arm.stack, styles), reasons, figures]
        if objective is not None:
            row += _value_cells(excluded.arm, objective)
        rows.append(row)
    head = ["Stack", "Does not meet", "It has"]
    title = "Excluded"
    if objective is not None:
        head += [text(sentence_case(objective.column.label)), "Interval"]
        if not point.ranked:
            title = "If the requirement were dropped"
    return f"<h3>{title}</h3>" + table(head, rows, numeric=(2, 3, 4))


def _value_cells(arm: RankedArm, objective: Objective) -> list[str]:
    column = objective.column
    if arm.value is None:
        return [NOTHING, NOTHING]
    mean = format_quantity(arm.value.mean, column.unit, missing=column.missing)
    ends = format_range(arm.value, column.unit, missing=column.missing)
    kind = "" if arm.value.repetitions == 1 else f"<small>{text(arm.value.kind_text)}</small>"
    return [f"<b>{text(mean)}</b>", text(ends) + kind]


def _change(margin: Margin | None, objective: Objective) -> str:
    return NOTHING if margin is None else text(change_of(margin.contrast, objective.column))


def _change_interval(margin: Margin | None, objective: Objective) -> str:
    ends = "" if margin is None else range_of(margin.contrast, objective.column)
    if margin is None or not ends:
        return NOTHING
    return f"{text(ends)}<small>{text(margin.contrast.interval.kind_text)}</small>"


def _remark(arm: RankedArm, objective: Objective) -> str:
    remarks = []
    if arm.margin is not None and arm.margin.too_close:
        least = effect_of(objective.column, objective.smallest_effect)
        why = f"within {least}" if arm.margin.negligible else "not told apart"
        remarks.append(f'<span class="tag">too close to call</span> <small>{text(why)}</small>')
    if arm.value is not None and 0 < arm.value.unreached < arm.value.repetitions:
        remarks.append(
            text(f"not reached in {arm.value.unreached} of {arm.value.repetitions} runs")
        )
    return "<br>".join([*remarks, _warnings(arm)] if arm.warnings else remarks)


def _warnings(arm: RankedArm) -> str:
    return "<br>".join(f'<span class="warning">{text(line)}</span>' for line in arm.warnings)

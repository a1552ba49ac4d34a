"""The study's question, asked of each group and stratum beside the fleet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.decision import Decision, Outcome, PointDecision, decide_part
from lasthop.answer.group_rows import rows_by_group
from lasthop.answer.points import part_named
from lasthop.answer.sentences import Sentence, Span
from lasthop.answer.verdict import clause
from lasthop.measures import resolve_column
from lasthop.measures.groups import PLACE
from lasthop.study.expressions import parse_expression

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class DecisionByGroup:
    """The decision for each group and stratum, and its differences from the fleet's.

    Parameters
    ----------
    decision : Decision
        Its points are the groups, strata and flows at each point of the part.
    places : mapping
        The swept columns of `decision` that name a place, by what they are called.
    differing : tuple of PointDecision
        Those at which other stacks come first than in the fleet.
    unmeasured : tuple of str
        By what the study is decided although nothing measures it by group; nobody is ranked then.
    """

    decision: Decision
    places: tuple[str, ...]
    differing: tuple[PointDecision, ...]
    unmeasured: tuple[str, ...]

    @property
    def name(self) -> str:
        """The kind of places: ``stratum``, ``group and stratum``."""
        return " and ".join(self.places)

    def place(self, point: PointDecision) -> tuple[str, ...]:
        """Name where a point lies, a word for each of `places`."""
        return tuple(map(str, point.point.values[: len(self.places)]))


def decide_by_group(
    runs: pl.DataFrame, groups: pl.DataFrame, study: Mapping[str, Any], fleet: Decision
) -> DecisionByGroup | None:
    """Ask the question of a study of each group and stratum.

    None where there is one only, or where no run completed.

    Parameters
    ----------
    runs : polars.DataFrame
        ``runs.parquet``.
    groups : polars.DataFrame
        ``groups.parquet``.
    fleet : Decision
        What the same runs say of the fleet.
    """
    completed = runs.filter(status="completed", part=fleet.part)
    if completed.is_empty() or not has_several(groups):
        return None
    rows = rows_by_group(runs, groups)
    asked: Mapping[str, Any] = study.get("decide") or {}
    unmeasured = _unmeasured(asked, rows.columns)
    part = part_named(study, fleet.part)
    places = _places(rows.filter(pl.col("part") == fleet.part))
    swept = [{"key": name, "column": name, "unit": "text"} for name in places]
    decision = decide_part(
        rows,
        {**study, "decide": {} if unmeasured else asked},
        {**part, "swept": [*swept, *part["swept"]]},
    )
    differing = () if unmeasured else _differing(decision, fleet)
    return DecisionByGroup(decision, places, differing, unmeasured)


def has_several(groups: pl.DataFrame) -> bool:
    """Whether a run has more than one group or stratum with devices."""
    there = groups.filter(pl.col("devices") > 0)
    places = there.select("run_id", "group", "stratum").unique()
    return places.height > places["run_id"].n_unique()


def answer_by_group(found: DecisionByGroup) -> Sentence | None:
    """Describe where the answer differs from the fleet's; None if this was not asked."""
    decision = found.decision
    if found.unmeasured:
        what = " and ".join(found.unmeasured)
        return Sentence((Span(f"By {found.name} nobody is ranked: {what} is of whole runs only."),))
    if decision.objective is None and not decision.requirements:
        return None
    if not found.differing:
        return Sentence((Span(f"The answer is the same for each {found.name}."),))
    answers: dict[tuple[Outcome, frozenset[str]], list[PointDecision]] = {}
    for point in found.differing:
        answers.setdefault((point.outcome, first_stacks(point)), []).append(point)
    spans = [Span("The answer differs ")]
    for number, points in enumerate(answers.values()):
        spans.append(Span(f"{'; ' if number else ''}for {_listed(points)}: "))
        spans += clause(decision, points[0])
    same = len(decision.points) - len(found.differing)
    rest = f"; it is the same for the other {same if same > 1 else 'one'}" if same else ""
    return Sentence((*spans, Span(f"{rest}.")))


def first_stacks(point: PointDecision) -> frozenset[str]:
    """Name the leading stacks at a point, or if unranked those that meet all requirements."""
    if point.outcome is Outcome.NOT_ASKED:
        return frozenset(arm.stack for arm in point.ranked)
    return frozenset(point.leaders)


def _listed(points: Sequence[PointDecision]) -> str:
    named = [point.point.label for point in points[:_MOST_NAMED]]
    if len(points) > _MOST_NAMED:
        named.append(f"{len(points) - _MOST_NAMED} more")
    *others, last = named
    return f"{', '.join(others)} and {last}" if others else last


def _places(rows: pl.DataFrame) -> tuple[str, ...]:
    """Name what tells places apart; flows only where a group or stratum has several."""
    pairs = rows.select("group", "stratum").n_unique()
    flows = ("flow",) if rows.select(PLACE).n_unique() > pairs else ()
    several = (name for name in ("group", "stratum") if rows[name].n_unique() > 1)
    return (*several, *flows)


def _unmeasured(asked: Mapping[str, Any], columns: Sequence[str]) -> tuple[str, ...]:
    """Name the aim and the columns of requirements that nothing measures by group."""
    aim = asked.get("minimise") or asked.get("maximise")
    missing = [aim] if aim and resolve_column(aim, columns) is None else []
    for text in asked.get("require") or ():
        missing += [
            comparison.column
            for comparison in parse_expression(text).comparisons
            if not set(comparison.columns) & set(columns)
        ]
    return tuple(dict.fromkeys(missing))


def _differing(decision: Decision, fleet: Decision) -> tuple[PointDecision, ...]:
    of_fleet = {run: point for point in fleet.points for run in point.point.rows["run_id"]}
    return tuple(
        point
        for point in decision.points
        if first_stacks(point) != first_stacks(of_fleet[point.point.rows["run_id"][0]])
    )

"""The settings that mattered most, by their effect on the objective."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop.answer.arms import arms_of
from lasthop.answer.options import arrangements, only_difference
from lasthop.answer.points import Point, part_named, parts_of, points_of, varied
from lasthop.answer.ranking import Objective
from lasthop.measures import Kind
from lasthop.statistics.contrasts import SPREAD_FLOOR, difference
from lasthop.statistics.estimates import number
from lasthop.statistics.intervals import Interval, interval

if TYPE_CHECKING:
    from lasthop.answer.decision import Decision, PointDecision

Line = Mapping[int, float]
"""The aim by seed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, and the change of the objective between two of its values.

    Parameters
    ----------
    part : str
        Where it was compared.
    stack : str or None
        Of which stack, where it is a swept key; None where stacks differ in it.
    subject : str
        The protocol whose option it is, or ``path`` and the like for a swept key.
    name : str
        The option or the key.
    best, worst : str
        The two values between which the aim moves farthest.
    movement : Interval
        How much worse the aim is with ``worst``, over the repetitions, as the mean over everything
        else that varies: of a positive quantity a fraction by the geometric mean, else in its
        unit. Infinite where no case reached both.
    cases : int
        How many pairs of arms it rests on, which differ in this setting and nothing else.
    beyond : int
        How many pairs of arms cannot be compared, at these two values or others: the aim is
        missing, or a positive quantity zero, in some repetition.
    changed : bool
        Whether it changes a verdict: which stack leads, or who meets the requirements.
    interaction : float or None
        The p-value that it moves all stacks alike, or all pairs of stacks where they differ in
        it; corrected over all two of them (Bonferroni). None where there is nothing to test.
    """

    part: str
    subject: str
    name: str
    best: str
    worst: str
    movement: Interval
    cases: int
    beyond: int
    stack: str | None = None
    changed: bool = False
    interaction: float | None = None


def settings_that_matter(
    runs: pl.DataFrame,
    study: Mapping[str, Any],
    objective: Objective | None,
    decisions: Iterable["Decision"] = (),
) -> tuple[Setting, ...]:
    """Rank the options of stacks, and for each stack the swept keys.

    First come those that change a verdict, then those that move the aim farthest.

    Parameters
    ----------
    runs : polars.DataFrame
        ``runs.parquet``.
    study : mapping
        The study as the manifest holds it.
    objective : Objective or None
        Its aim; without one nothing can be moved.
    decisions : iterable of Decision
        Of the parts of which the question is answered; of others no verdict is known.

    Returns
    -------
    tuple of Setting
        The one that matters most first.
    """
    if objective is None:
        return ()
    deciding = part_named(study, (study.get("decide") or {}).get("part"))
    standings = {decision.part: _standings(decision) for decision in decisions}
    found = [
        *_options(runs, study, deciding, objective, standings.get(deciding["name"], {})),
        *(
            setting
            for part in parts_of(study)
            for setting in _swept_keys(runs, part, objective, standings.get(part["name"], {}))
        ),
    ]
    return tuple(sorted(found, key=lambda setting: (not setting.changed, -setting.movement.mean)))


_LinePair = tuple[Line, Line]
_Place = tuple[tuple[str, str], ...]
"""The values at a point, in words."""
_Standings = Mapping[_Place, Mapping[str, str]]
"""What is said of each stack at each point."""
_ByValue = Mapping[str, Mapping[_Place, Mapping[str, Line]]]
"""The lines of the stacks by a value, then by all other values at the point."""


def _standings(decision: "Decision") -> _Standings:
    return {point.point.named: dict(_standing(point)) for point in decision.points}


def _standing(point: "PointDecision") -> Iterator[tuple[str, str]]:
    """Say of each stack whether it leads, alone or not, or is out."""
    leaders = point.leaders
    leads = "leads alone" if len(leaders) == 1 else "leads with others"
    for arm in point.ranked:
        yield arm.stack, leads if arm.stack in leaders else "behind"
    yield from ((left_out.arm.stack, "excluded") for left_out in point.excluded)
    yield from ((aside.stack, "not judged") for aside in point.set_aside)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Two values of a setting, and the aim with each, all else being equal.

    Parameters
    ----------
    whose
        Of each pair of lines: its stack, or its two stacks.
    """

    values: tuple[str, str]
    lines: list[_LinePair]
    whose: list[str]


def _options(
    runs: pl.DataFrame,
    study: Mapping[str, Any],
    part: Mapping[str, Any],
    objective: Objective,
    standings: _Standings,
) -> Iterable[Setting]:
    stacks = arrangements(study)
    grouped: dict[tuple[str, str], dict[tuple[str, str], _Pairs]] = {}
    changing: set[tuple[str, str]] = set()
    for point in points_of(runs, part):
        lines = _lines(point, objective)
        said = standings.get(point.named, {})
        for first, second in combinations([stack for stack in stacks if stack.name in lines], 2):
            option = only_difference(first, second)
            if option is None:
                continue
            if said.get(first.name) != said.get(second.name):
                changing.add((first.protocol, option))
            of_option = grouped.setdefault((first.protocol, option), {})
            here, there = (stack.options[option] for stack in (first, second))
            pair = (lines[first.name], lines[second.name])
            if (there, here) in of_option:
                pairs, pair = of_option[there, here], (pair[1], pair[0])
            else:
                pairs = of_option.setdefault((here, there), _Pairs((here, there), [], []))
            pairs.lines.append(pair)
            pairs.whose.append(f"{first.name}, {second.name}")
    for (protocol, option), found in grouped.items():
        for setting in _setting(part["name"], protocol, option, found.values(), objective):
            pairs = next(
                it for it in found.values() if {*it.values} == {setting.best, setting.worst}
            )
            yield replace(
                setting,
                changed=(protocol, option) in changing,
                interaction=_interaction(_by_whom(pairs), objective),
            )


def _by_whom(pairs: _Pairs) -> dict[str, list[_LinePair]]:
    found: dict[str, list[_LinePair]] = {}
    for line_pair, whose in zip(pairs.lines, pairs.whose, strict=True):
        found.setdefault(whose, []).append(line_pair)
    return found


def _swept_keys(
    runs: pl.DataFrame, part: Mapping[str, Any], objective: Objective, standings: _Standings
) -> Iterable[Setting]:
    points = [(point, _lines(point, objective)) for point in points_of(runs, part)]
    stacks = list(dict.fromkeys(stack for _, lines in points for stack in lines))
    for place, key in enumerate(varied(runs, part)):
        subject, _, name = key.key.partition(".")
        by_value = _lines_by_value(place, points)
        found = [
            replace(setting, stack=stack, changed=_changes(stack, place, standings))
            for stack in stacks
            for setting in _setting(
                part["name"], subject, name or subject, _pairs_of(stack, by_value), objective
            )
        ]
        p_value = _interaction_at(_farthest(found), by_value, stacks, objective)
        yield from (replace(setting, interaction=p_value) for setting in found)


def _lines_by_value(
    place: int, points: Sequence[tuple[Point, Mapping[str, Line]]]
) -> dict[str, dict[_Place, Mapping[str, Line]]]:
    found: dict[str, dict[_Place, Mapping[str, Line]]] = {}
    for point, lines in points:
        found.setdefault(point.named[place][1], {})[_others(point.named, place)] = lines
    return found


def _others(named: _Place, place: int) -> _Place:
    return (*named[:place], *named[place + 1 :])


def _pairs_of(stack: str, by_value: _ByValue) -> Iterator[_Pairs]:
    """Give for every two values of a swept key the pairs of arms that nothing else tells apart.

    They are made when they are asked for: a long sweep has far more of them than points.
    """
    for first, second in combinations(by_value, 2):
        lines = _between(first, second, stack, by_value)
        yield _Pairs((first, second), lines, [stack] * len(lines))


def _between(first: str, second: str, stack: str, by_value: _ByValue) -> list[_LinePair]:
    there = by_value[second]
    return [
        (lines[stack], there[others][stack])
        for others, lines in by_value[first].items()
        if stack in lines and others in there and stack in there[others]
    ]


def _changes(stack: str, place: int, standings: _Standings) -> bool:
    """Tell whether another value at one place changes what is said of a stack, all else equal."""
    said: dict[_Place, set[str | None]] = {}
    for named, of_stacks in standings.items():
        said.setdefault(_others(named, place), set()).add(of_stacks.get(stack))
    return any(len(words) > 1 for words in said.values())


def _farthest(found: Sequence[Setting]) -> Setting | None:
    """Give the setting of the stack that moves farthest of those that can be measured."""
    measured = [setting for setting in found if setting.cases]
    return max(measured, key=lambda setting: setting.movement.mean, default=None)


def _interaction_at(
    setting: Setting | None, by_value: _ByValue, stacks: Sequence[str], objective: Objective
) -> float | None:
    """Test whether all stacks move alike between the two values of a setting."""
    if setting is None:
        return None
    first, second = setting.best, setting.worst
    pairs = {stack: _between(first, second, stack, by_value) for stack in stacks}
    return _interaction({stack: of for stack, of in pairs.items() if of}, objective)


def _interaction(pairs: Mapping[str, Sequence[_LinePair]], objective: Objective) -> float | None:
    """Test that a setting moves all alike: every two are compared, seed by seed.

    Returns
    -------
    float or None
        The p-value, corrected after Bonferroni; None of single runs, or where there are no two.
    """
    ratio = objective.column.kind is Kind.POSITIVE
    moved = [values for of in pairs.values() if (values := _moved(of, ratio=ratio)) is not None]
    floor = math.sqrt(2) * SPREAD_FLOOR if ratio else 0.0
    contrasts = [
        difference(new, base, floor=floor)
        for new, base in combinations(moved, 2)
        if len(new.keys() & base.keys()) > 1
    ]
    if not contrasts:
        return None
    smallest = min(
        contrast.p_value(0.0, side) for contrast in contrasts for side in ("above", "below")
    )
    return min(1.0, len(contrasts) * smallest)


def _moved(pairs: Sequence[_LinePair], *, ratio: bool) -> dict[int, float] | None:
    """Give how far the aim moves in each repetition; None where it is not reached."""
    seeds = sorted(_common(line for pair in pairs for line in pair))
    within = [pair for pair in pairs if _is_within_measure(pair, seeds, ratio=ratio)]
    if not seeds or not within:
        return None
    return _mean_movement(within, seeds, ratio=ratio)


def _mean_movement(
    pairs: Sequence[_LinePair], seeds: Sequence[int], *, ratio: bool
) -> dict[int, float]:
    return {
        seed: math.fsum(_apart(pair[1][seed], pair[0][seed], ratio=ratio) for pair in pairs)
        / len(pairs)
        for seed in seeds
    }


def _lines(point: Point, objective: Objective) -> dict[str, Line]:
    return {
        arm.stack: arm.by_seed(objective.column.name, worst=objective.worst)
        for arm in arms_of(point.rows, ())
        if not arm.completed.is_empty()
    }


def _setting(
    part: str, subject: str, name: str, grouped: Iterable[_Pairs], objective: Objective
) -> Iterable[Setting]:
    """Give the setting with the two of its values between which the aim moves farthest."""
    # What can be measured comes first: a value that no arm reached says nothing of how far.
    farthest: tuple[tuple[str, str], _Movement] | None = None
    beyond = 0
    for pairs in grouped:
        found = _movement(pairs.lines, objective)
        if found is None:
            continue
        beyond += found.beyond
        if farthest is None or found.reach > farthest[1].reach:
            farthest = (pairs.values, found)
    if farthest is not None:
        (first, second), found = farthest
        best, worst = (first, second) if found.second_is_worse else (second, first)
        yield Setting(part, subject, name, best, worst, found.size, found.cases, beyond)


@dataclass(frozen=True, slots=True)
class _Movement:
    size: Interval
    second_is_worse: bool
    cases: int
    beyond: int

    @property
    def reach(self) -> tuple[bool, float]:
        """The size by which changes are compared."""
        return self.cases > 0, self.size.mean


def _movement(pairs: Sequence[_LinePair], objective: Objective) -> _Movement | None:
    seeds = sorted(_common(line for pair in pairs for line in pair))
    if not seeds:
        return None
    ratio = objective.column.kind is Kind.POSITIVE
    within = [pair for pair in pairs if _is_within_measure(pair, seeds, ratio=ratio)]
    if not within:
        worse = sum(_unreached(pair[1]) - _unreached(pair[0]) for pair in pairs) >= 0
        infinite = interval([math.inf] * len(seeds))
        return _Movement(infinite, worse, 0, len(pairs))
    moved = list(_mean_movement(within, seeds, ratio=ratio).values())
    ends_worse = (math.fsum(moved) > 0) != objective.maximise
    signed = moved if ends_worse else [-value for value in moved]
    single = len(seeds) == 1
    floor = SPREAD_FLOOR if ratio else 0.0
    found = interval(signed) if single else number(signed, floor=floor).interval
    change = found.exponentiated().shifted(-1) if ratio else found
    size = change.negated() if objective.maximise else change
    return _Movement(size, ends_worse, len(within), len(pairs) - len(within))


def _apart(value: float, other: float, *, ratio: bool) -> float:
    return math.log(value / other) if ratio else value - other


def _common(lines: Iterable[Line]) -> AbstractSet[int]:
    """Return the seeds that all lines have."""
    common: AbstractSet[int] | None = None
    for line in lines:
        common = line.keys() if common is None else common & line.keys()
    return common or frozenset()


def _is_within_measure(pair: _LinePair, seeds: Sequence[int], *, ratio: bool) -> bool:
    """Tell whether the two lines can be compared in every repetition."""
    values = [line[seed] for line in pair for seed in seeds]
    return all(math.isfinite(value) and (value > 0 or not ratio) for value in values)


def _unreached(line: Line) -> int:
    return sum(not math.isfinite(value) for value in line.values())

"""The settings that mattered most: how far each moves what the study decides by."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from lasthop.answer.arms import arms_of
from lasthop.answer.options import arrangements, only_difference
from lasthop.answer.points import Point, part_named, parts_of, points_of, varied
from lasthop.answer.ranking import Objective
from lasthop.measures import Kind
from lasthop.statistics.contrasts import SPREAD_FLOOR
from lasthop.statistics.estimates import number
from lasthop.statistics.intervals import Interval, interval

Line = Mapping[int, float]
"""The aim by seed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting and how far the aim moves between two of its values.

    Parameters
    ----------
    part : str
        Where it was compared.
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
    """

    part: str
    subject: str
    name: str
    best: str
    worst: str
    movement: Interval
    cases: int
    beyond: int


def settings_that_matter(
    runs: pl.DataFrame, study: Mapping[str, Any], objective: Objective | None
) -> tuple[Setting, ...]:
    """Rank the options of stacks and the swept keys by how far they move the aim.

    Parameters
    ----------
    runs : polars.DataFrame
        ``runs.parquet``.
    study : mapping
        The study as the manifest holds it.
    objective : Objective or None
        Its aim; without one nothing can be moved.

    Returns
    -------
    tuple of Setting
        The largest movement first.
    """
    if objective is None:
        return ()
    deciding = part_named(study, (study.get("decide") or {}).get("part"))
    found = [
        *_options(runs, study, deciding, objective),
        *(setting for part in parts_of(study) for setting in _swept_keys(runs, part, objective)),
    ]
    return tuple(sorted(found, key=lambda setting: -setting.movement.mean))


_LinePair = tuple[Line, Line]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Two values of a setting, and the aim with each, all else being equal."""

    values: tuple[str, str]
    lines: list[_LinePair]


def _options(
    runs: pl.DataFrame, study: Mapping[str, Any], part: Mapping[str, Any], objective: Objective
) -> Iterable[Setting]:
    stacks = arrangements(study)
    grouped: dict[tuple[str, str], dict[tuple[str, str], _Pairs]] = {}
    for point in points_of(runs, part):
        lines = _lines(point, objective)
        for first, second in combinations([stack for stack in stacks if stack.name in lines], 2):
            option = only_difference(first, second)
            if option is None:
                continue
            of_option = grouped.setdefault((first.protocol, option), {})
            here, there = (stack.options[option] for stack in (first, second))
            pair = (lines[first.name], lines[second.name])
            if (there, here) in of_option:
                of_option[there, here].lines.append((pair[1], pair[0]))
            else:
                of_option.setdefault((here, there), _Pairs((here, there), [])).lines.append(pair)
    for (protocol, option), found in grouped.items():
        yield from _setting(part["name"], protocol, option, found.values(), objective)


def _swept_keys(
    runs: pl.DataFrame, part: Mapping[str, Any], objective: Objective
) -> Iterable[Setting]:
    points = [(point, _lines(point, objective)) for point in points_of(runs, part)]
    for place, key in enumerate(varied(runs, part)):
        subject, _, name = key.key.partition(".")
        grouped = _pairs_at(place, points)
        yield from _setting(part["name"], subject, name or subject, grouped, objective)


def _pairs_at(place: int, points: Sequence[tuple[Point, Mapping[str, Line]]]) -> Iterator[_Pairs]:
    """Give for every two values of a swept key the pairs of arms that nothing else tells apart.

    They are made when they are asked for: a long sweep has far more of them than points.
    """
    by_value: dict[str, dict[tuple[tuple[str, str], ...], Mapping[str, Line]]] = {}
    for point, lines in points:
        others = (*point.named[:place], *point.named[place + 1 :])
        by_value.setdefault(point.named[place][1], {})[others] = lines
    for first, second in combinations(by_value, 2):
        there = by_value[second]
        yield _Pairs(
            (first, second),
            [
                (line, there[others][stack])
                for others, here in by_value[first].items()
                if others in there
                for stack, line in here.items()
                if stack in there[others]
            ],
        )


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
        """What movements are compared by."""
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
    moved = [
        math.fsum(_apart(pair[1][seed], pair[0][seed], ratio=ratio) for pair in within)
        / len(within)
        for seed in seeds
    ]
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

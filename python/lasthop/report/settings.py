"""The settings that mattered most: how far each moves what the study decides by."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from lasthop.report.arms import arms_of
from lasthop.report.options import arrangements, only_difference
from lasthop.report.points import Point, part_named, parts_of, points_of, varied
from lasthop.report.ranking import Objective
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
        How much worse the aim is with ``worst``, a fraction, over the repetitions: the geometric
        mean over everything else that varies. Infinite where no case reached both.
    cases : int
        How many pairs of arms it rests on, which differ in this setting and nothing else.
    beyond : int
        How many pairs of arms have no ratio, at these two values or others: the aim is missing
        or zero in some repetition.
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


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two values of a setting, and the aim with each, all else being equal."""

    values: tuple[str, str]
    lines: tuple[Line, Line]


def _options(
    runs: pl.DataFrame, study: Mapping[str, Any], part: Mapping[str, Any], objective: Objective
) -> Iterable[Setting]:
    stacks = arrangements(study)
    grouped: dict[tuple[str, str], list[_Pair]] = {}
    for point in points_of(runs, part):
        lines = _lines(point, objective)
        for first, second in combinations([stack for stack in stacks if stack.name in lines], 2):
            option = only_difference(first, second)
            if option is not None:
                pair = _Pair(
                    (first.options[option], second.options[option]),
                    (lines[first.name], lines[second.name]),
                )
                grouped.setdefault((first.protocol, option), []).append(pair)
    for (protocol, option), pairs in grouped.items():
        yield from _setting(part["name"], protocol, option, pairs, objective)


def _swept_keys(
    runs: pl.DataFrame, part: Mapping[str, Any], objective: Objective
) -> Iterable[Setting]:
    points = [(point, _lines(point, objective)) for point in points_of(runs, part)]
    for place, key in enumerate(varied(runs, part)):
        pairs = [
            _Pair((first.named[place][1], second.named[place][1]), (here[stack], there[stack]))
            for (first, here), (second, there) in combinations(points, 2)
            if _differ_only_at(place, first, second)
            for stack in here
            if stack in there
        ]
        subject, _, name = key.key.partition(".")
        yield from _setting(part["name"], subject, name or subject, pairs, objective)


def _lines(point: Point, objective: Objective) -> dict[str, Line]:
    return {
        arm.stack: arm.by_seed(objective.column.name, worst=objective.worst)
        for arm in arms_of(point.rows, ())
        if not arm.completed.is_empty()
    }


def _differ_only_at(place: int, first: Point, second: Point) -> bool:
    places = [at for at, (a, b) in enumerate(zip(first.named, second.named, strict=True)) if a != b]
    return places == [place]


def _setting(
    part: str, subject: str, name: str, pairs: Sequence[_Pair], objective: Objective
) -> Iterable[Setting]:
    """Give the setting with the two of its values between which the aim moves farthest."""
    grouped: dict[tuple[str, str], list[_Pair]] = {}
    for pair in pairs:
        swapped = _Pair((pair.values[1], pair.values[0]), (pair.lines[1], pair.lines[0]))
        known = swapped.values in grouped
        grouped.setdefault(swapped.values if known else pair.values, []).append(
            swapped if known else pair
        )
    movements = [
        (values, found)
        for values, members in grouped.items()
        if (found := _movement(members, objective)) is not None
    ]
    if movements:
        # What can be measured comes first: a value that no arm reached says nothing of how far.
        (first, second), found = max(
            movements, key=lambda entry: (entry[1].cases > 0, entry[1].size.mean)
        )
        best, worst = (first, second) if found.second_is_worse else (second, first)
        beyond = sum(movement.beyond for _, movement in movements)
        yield Setting(part, subject, name, best, worst, found.size, found.cases, beyond)


@dataclass(frozen=True, slots=True)
class _Movement:
    size: Interval
    second_is_worse: bool
    cases: int
    beyond: int


def _movement(pairs: Sequence[_Pair], objective: Objective) -> _Movement | None:
    seeds = sorted(set.intersection(*(set(line) for pair in pairs for line in pair.lines)))
    if not seeds:
        return None
    within = [pair for pair in pairs if _is_within_measure(pair, seeds)]
    if not within:
        worse = sum(_unreached(pair.lines[1]) - _unreached(pair.lines[0]) for pair in pairs) >= 0
        infinite = interval([math.inf] * len(seeds))
        return _Movement(infinite, worse, 0, len(pairs))
    logs = [
        math.fsum(math.log(pair.lines[1][seed] / pair.lines[0][seed]) for pair in within)
        / len(within)
        for seed in seeds
    ]
    grows = math.fsum(logs) > 0
    ends_worse = grows != objective.maximise
    signed = logs if ends_worse else [-value for value in logs]
    sign = -1 if objective.maximise else 1
    size = interval([sign * math.expm1(value) for value in signed])
    return _Movement(size, ends_worse, len(within), len(pairs) - len(within))


def _is_within_measure(pair: _Pair, seeds: Sequence[int]) -> bool:
    """Tell whether a ratio of the two lines exists for every repetition."""
    values = [line[seed] for line in pair.lines for seed in seeds]
    return all(math.isfinite(value) and value > 0 for value in values)


def _unreached(line: Line) -> int:
    return sum(not math.isfinite(value) for value in line.values())

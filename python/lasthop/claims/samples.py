"""The values that a rule compares, one number for each repetition."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lasthop.claims.arm_values import ArmValues
from lasthop.claims.cells import Cell, Cells, coordinate
from lasthop.measures import Kind
from lasthop.statistics.estimates import Estimate
from lasthop.study.claims.claim import Area, Bound, Order, OrderedArm, Place, Rule

_FEWEST_POINTS = 2
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """One number for each repetition, with its origin.

    Parameters
    ----------
    stack
        Whose it is; two stacks of an order are joined by ``<``.
    point
        In words.
    cells
        The cells behind it, the first one telling the conditions.
    unit
        Of the values.
    by_seed
        The values; infinite where a run has none. Of two arms their ratio or difference.
    arms
        What they are made of: one stack's values, or two, the second being the base.
    ratio
        Whether two arms are related by their ratio.
    unsupported
        Why stacks of it cannot be run, by name.
    lacking
        What is said where a repetition has no value.
    """

    stack: str
    point: str
    cells: tuple[Cell, ...]
    unit: str
    by_seed: Mapping[int, float]
    arms: tuple[ArmValues, ...]
    unsupported: Mapping[str, str]
    ratio: bool = False
    lacking: str = "no value"

    @property
    def itself(self) -> ArmValues:
        """The value relative to another sample."""
        return replace(self.arms[0], values=self.by_seed) if len(self.arms) > 1 else self.arms[0]

    @property
    def runs_without_value(self) -> int:
        """Count repetitions without a value. A ratio to zero has none, but can be judged."""
        return sum(
            not math.isfinite(value)
            and not (self.ratio and all(math.isfinite(arm.values[seed]) for arm in self.arms))
            for seed, value in self.by_seed.items()
        )

    @property
    def exact(self) -> bool:
        """Whether every repetition has the same number, which chance has no part in.

        A share, a count or a zero may be equal in all of a few repetitions and still be chance;
        a peak is known to the distance of its points only.
        """
        arms = [self._known(arm) for arm in self.arms]
        return len(self.by_seed) > 1 and all(arm.constant for arm in arms)

    def estimate(self) -> Estimate:
        """Estimate the value from at least two repetitions that all have one."""
        known = [self._known(arm) for arm in self.arms]
        if len(known) == 1:
            return known[0].estimate()
        return known[0].over(known[1]) if self.ratio else known[0].less(known[1])

    def _known(self, arm: ArmValues) -> ArmValues:
        """Leave out the seeds that one of two arms lacks."""
        return replace(arm, values={seed: arm.values[seed] for seed in self.by_seed})


def samples(rule: Rule, cells: Cells) -> dict[str, list[Sample]]:
    """Give a sample for each point, by stack; for an order, by each pair of neighbours."""
    if not isinstance(rule.requirement, Order):
        return {stack: _of_stack(rule, cells, stack, rule.area) for stack in rule.stacks}
    pairs = pairwise(rule.requirement.arms)
    return {
        f"{low.name} < {high.name}": _differences(rule, cells, low, high) for low, high in pairs
    }


def _of_stack(rule: Rule, cells: Cells, stack: str, area: Area) -> list[Sample]:
    chosen = cells.of(stack, area)
    if rule.over is not None:
        return [_along(rule, rule.over, stack, group) for group in _groups(chosen, rule.over)]
    if rule.relative_to is not None:
        return [_ratio(rule, cells, stack, cell) for cell in chosen]
    return [
        Sample(
            stack=stack,
            point=cell.point.label,
            cells=(cell,),
            unit=rule.measurand.unit,
            by_seed=cell.values(rule.measurand),
            arms=(cell.measured(rule.measurand),),
            unsupported=_unsupported([cell]),
        )
        for cell in chosen
    ]


def _differences(rule: Rule, cells: Cells, lower: OrderedArm, higher: OrderedArm) -> list[Sample]:
    """Pair the samples of two stacks at the same points."""
    there = _of_stack(rule, cells, higher.stack, higher.area)
    above = {sample.point: sample for sample in there}
    pairs = [
        (sample, above[sample.point])
        for sample in _of_stack(rule, cells, lower.stack, lower.area)
        if sample.point in above
    ]
    return [_order(rule, f"{lower.name} < {higher.name}", low, high) for low, high in pairs]


def _order(rule: Rule, stacks: str, low: Sample, high: Sample) -> Sample:
    """Compare two samples: positive quantities by their ratio, all else by their difference."""
    ratio = low.itself.kind is Kind.POSITIVE
    peaks = rule.look == "peak"
    return Sample(
        stack=stacks,
        point=low.point,
        cells=(*low.cells, *high.cells),
        unit="fraction" if ratio else low.unit,
        by_seed=_paired(high.by_seed, low.by_seed, _proportion if ratio else _apart(rule, low)),
        arms=(high.itself, low.itself),
        ratio=ratio,
        unsupported={**low.unsupported, **high.unsupported},
        lacking="both peak at the edge of the sweep, or beyond it," if peaks else low.lacking,
    )


def _apart(rule: Rule, sample: Sample) -> Callable[[float, float], float]:
    """Give the difference of two values; of two peaks at the edge of the sweep nothing is known."""
    over = rule.over
    if rule.look != "peak" or over is None:
        return _difference
    xs = [x for cell in sample.cells if (x := coordinate(cell, over)) is not None]
    edge = max(xs, default=math.inf)

    def apart(value: float, other: float) -> float:
        return math.inf if value == other == edge else _difference(value, other)

    return apart


def _ratio(rule: Rule, cells: Cells, stack: str, cell: Cell) -> Sample:
    """Relate a cell to another one; without a point of its own that lies at the same point."""
    reference = rule.relative_to
    if reference is None:
        message = "a ratio has a reference"
        raise ValueError(message)
    others = cells.of(reference.stack or stack, reference.area)
    if reference.same_point:
        others = [other for other in others if other.point.label == cell.point.label]
    arms = [cell.measured(rule.measurand)]
    by_seed: Mapping[int, float] = {}
    if len(others) == 1:
        arms.append(others[0].measured(reference.measurand))
        by_seed = _paired(arms[0].values, arms[1].values, _proportion)
    both = (cell, *others)
    return Sample(
        stack=stack,
        point=cell.point.label,
        cells=both,
        unit="fraction",
        by_seed=by_seed,
        arms=tuple(arms),
        ratio=True,
        unsupported=_unsupported(both),
    )


def _along(rule: Rule, over: Place, stack: str, group: Sequence[Cell]) -> Sample:
    """Look along a sweep: the change of the column over it, where it peaks, or its mean."""
    xs = [coordinate(cell, over) for cell in group]
    columns = [cell.values(rule.measurand) for cell in group]
    seeds = sorted(set.intersection(*(set(values) for values in columns)))
    unit = rule.measurand.unit
    by_seed: dict[int, float] = {}
    numbers = [x for x in xs if x is not None]
    if len(numbers) == len(group) >= _FEWEST_POINTS:
        relative = rule.look == "change" and _is_relative(rule)
        for seed in seeds:
            ys = [values[seed] for values in columns]
            by_seed[seed] = _seen(rule, numbers, ys, relative=relative)
        unit = over.unit if rule.look == "peak" else "fraction" if relative else unit
    label = f"{group[0].point.label} to {group[-1].point.label}"
    return Sample(
        stack=stack,
        point=label,
        cells=tuple(group),
        unit=unit,
        by_seed=by_seed,
        arms=(
            ArmValues(
                values=by_seed,
                measure=rule.measurand.measure if rule.look == "mean" else None,
                step=_least_distance(numbers) if rule.look == "peak" else 0.0,
            ),
        ),
        unsupported=_unsupported(group),
    )


def _least_distance(xs: Sequence[float]) -> float:
    return min((after - before for before, after in pairwise(sorted({*xs}))), default=0.0)


def _seen(rule: Rule, xs: Sequence[float], ys: Sequence[float], *, relative: bool) -> float:
    if rule.look == "peak":
        return _peak(xs, ys)
    return _mean(ys) if rule.look == "mean" else _change(xs, ys, relative=relative)


def _mean(ys: Sequence[float]) -> float:
    return math.fsum(ys) / len(ys) if all(map(math.isfinite, ys)) else math.inf


def _groups(cells: Sequence[Cell], over: Place) -> list[list[Cell]]:
    """Divide cells into sweeps along a key: all other swept values are the same in one."""
    groups: dict[tuple[tuple[str, str], ...], list[Cell]] = {}
    for cell in cells:
        others = tuple(pair for pair in cell.point.named if pair[0] != over.label)
        groups.setdefault(others, []).append(cell)
    return list(groups.values())


def _change(xs: Sequence[float], ys: Sequence[float], *, relative: bool) -> float:
    """Give how much a least-squares line rises from the lowest x to the highest.

    A relative change is a share of the line's value at the lowest x.
    """
    if not all(map(math.isfinite, ys)):
        return math.inf
    x_mean, y_mean = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    spread = math.fsum((x - x_mean) ** 2 for x in xs)
    pairs = zip(xs, ys, strict=True)
    slope = math.fsum((x - x_mean) * (y - y_mean) for x, y in pairs) / spread
    change = _without_rounding(slope * (max(xs) - min(xs)), max(map(abs, ys)))
    return _quotient(change, y_mean + slope * (min(xs) - x_mean)) if relative else change


def _peak(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Give the x of the largest y, the first of equal ones."""
    return max(zip(ys, (-x for x in xs), strict=True))[1] * -1.0


def _is_relative(rule: Rule) -> bool:
    requirement = rule.requirement
    if isinstance(requirement, Bound):
        return requirement.relative
    return not isinstance(requirement, Order)


def _unsupported(cells: Sequence[Cell]) -> dict[str, str]:
    return {cell.arm.stack: reason for cell in cells if (reason := cell.unsupported) is not None}


def _paired(
    values: Mapping[int, float],
    others: Mapping[int, float],
    combine: Callable[[float, float], float],
) -> dict[int, float]:
    return {
        seed: combine(values[seed], others[seed])
        if math.isfinite(values[seed]) and math.isfinite(others[seed])
        else math.inf
        for seed in sorted(values.keys() & others.keys())
    }


def _difference(value: float, other: float) -> float:
    return _without_rounding(value - other, max(abs(value), abs(other)))


def _without_rounding(difference: float, size: float) -> float:
    """Make zero of what is left when equal numbers are computed in two ways."""
    return 0.0 if abs(difference) <= ROUNDING * size else difference


def _quotient(value: float, other: float) -> float:
    return value / other if other else math.inf


def _proportion(value: float, other: float) -> float:
    """Relate two measured values; those that differ by rounding alone are equal."""
    return 1.0 if other and _difference(value, other) == 0 else _quotient(value, other)

"""A rule held against the runs: a finding for each stack and point."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from lasthop.claims.cells import Cells
from lasthop.claims.judgement import Finding, Statistic
from lasthop.claims.samples import Sample, samples
from lasthop.statistics.bootstrap import Bootstrap, Side
from lasthop.statistics.intervals import CONFIDENCE, FEWEST_FOR_T, interval
from lasthop.study.claims.claim import Bound, Expected, Order, Rule

_PARTED = Bound(side="above", value=0.0, strict=True, relative=False)
"""What the difference of two stacks in order must be."""


def findings(rule: Rule, cells: Cells, *, seed: int) -> tuple[list[Finding], dict[str, str]]:
    """Hold a rule against the runs.

    Returns
    -------
    tuple
        The findings, and why stacks are not covered, by name.
    """
    found: list[Finding] = []
    uncovered: dict[str, str] = {}
    for stack, sampled in samples(rule, cells).items():
        if not sampled:
            found.append(_without_a_point(rule, stack))
        for sample in sampled:
            uncovered |= sample.unsupported
            if not sample.unsupported:
                found.append(_finding(rule, sample, seed=seed))
    return found, uncovered


def _finding(rule: Rule, sample: Sample, *, seed: int) -> Finding:
    values = list(sample.by_seed.values())
    requirement = _PARTED if isinstance(rule.requirement, Order) else rule.requirement
    allowed = _range(requirement, sample)
    low, high = allowed or (-math.inf, math.inf)
    plain = Finding(
        stack=sample.stack,
        part=rule.area.part,
        point=sample.point,
        measurand=rule.measurand.name,
        statistic=_statistic(rule),
        unit=sample.unit,
        published=rule.text,
        low=low,
        high=high,
        ours=interval(values) if values else None,
        n=len(values),
        trouble=_trouble_of(rule, sample, values)
        if allowed
        else "the swept key holds no number here",
        note=_note(sample),
    )
    if plain.trouble is not None:
        return plain
    drawn = Bootstrap.of(values, seed=seed)
    ours = drawn.interval()
    if plain.statistic in {"level", "mean"}:
        ours = ours.within(*rule.measurand.possible)
    found = replace(plain, ours=ours)
    if isinstance(requirement, Expected):
        return _held_to_range(found, drawn)
    return _held_to_bound(found, drawn, requirement)


def _held_to_range(finding: Finding, drawn: Bootstrap) -> Finding:
    """Meeting the range is enough; lying wholly outside is shown."""
    ours = drawn.interval()
    outside = ours.high < finding.low or ours.low > finding.high
    side: Side = "below" if drawn.mean < finding.low else "above"
    bound = finding.low if side == "below" else finding.high
    return replace(
        finding,
        meets=not outside,
        fails=outside,
        p_for=None,
        p_against=drawn.p_value(bound, side),
    )


def _held_to_bound(finding: Finding, drawn: Bootstrap, bound: Bound) -> Finding:
    """Lying wholly on a side is shown, whichever it is."""
    if drawn.standard_error == 0:
        holds = bound.holds(drawn.mean)
        p_for, p_against = (0.0, 1.0) if holds else (1.0, 0.0)
        return replace(finding, meets=holds, fails=not holds, p_for=p_for, p_against=p_against)
    p_for = drawn.p_value(bound.value, bound.side)
    p_against = drawn.p_value(bound.value, "below" if bound.side == "above" else "above")
    alpha = 1 - CONFIDENCE
    return replace(
        finding,
        meets=p_for <= alpha,
        fails=p_against <= alpha,
        p_for=p_for,
        p_against=p_against,
    )


def _statistic(rule: Rule) -> Statistic:
    if isinstance(rule.requirement, Order):
        return "difference"
    if rule.relative_to is not None:
        return "ratio"
    return "level" if rule.look is None else rule.look


def _range(requirement: Expected | Bound, sample: Sample) -> tuple[float, float] | None:
    if isinstance(requirement, Expected):
        return requirement.range_around(sample.cells[0].conditions)
    bound = requirement
    return (bound.value, math.inf) if bound.side == "above" else (-math.inf, bound.value)


def _trouble_of(rule: Rule, sample: Sample, values: Sequence[float]) -> str | None:
    for cell in sample.cells:
        if cell.arm.completed.is_empty():
            return f"{cell.arm.troubles[0].status}: {cell.arm.troubles[0].reason}"
    if not values:
        return "there is nothing to relate it to"
    lacking = sum(not math.isfinite(value) for value in values)
    if lacking:
        return f"{sample.lacking} in {lacking} of {len(values)} repetitions"
    if len(values) < FEWEST_FOR_T:
        runs = "1 repetition" if len(values) == 1 else f"{len(values)} repetitions"
        return f"{runs}, fewer than {FEWEST_FOR_T}"
    if isinstance(rule.requirement, Order) and not any(values):
        return f"equal in all {len(values)} repetitions"
    return None


def _note(sample: Sample) -> str | None:
    """Say what the runs themselves say of their results, and which did not complete."""
    notes: Counter[str] = Counter()
    total = 0
    for cell in sample.cells:
        completed = cell.arm.completed
        total += completed.height
        notes.update(reason for reason in completed["reason"].to_list() if reason)
        for trouble in cell.arm.troubles:
            total += trouble.runs
            notes[f"{trouble.status}: {trouble.reason}"] += trouble.runs
    told = [f"{reason} in {runs} of {total} runs" for reason, runs in notes.items() if runs]
    return "; ".join(told) or None


def _without_a_point(rule: Rule, stack: str) -> Finding:
    return Finding(
        stack=stack,
        part=rule.area.part,
        point="",
        measurand=rule.measurand.name,
        statistic=_statistic(rule),
        unit="",
        published=rule.text,
        trouble="no run at a point as the rule asks for",
    )

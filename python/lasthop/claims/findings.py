"""A rule held against the runs: a finding for each stack and point."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lasthop.claims.cells import Cells
from lasthop.claims.judgement import Finding, Statistic
from lasthop.claims.samples import ROUNDING, Sample, samples
from lasthop.statistics.estimates import Estimate
from lasthop.statistics.intervals import CONFIDENCE, Interval, IntervalKind, interval
from lasthop.study.claims.claim import Bound, Expected, Order, Rule

if TYPE_CHECKING:
    from lasthop.statistics.evidence import Side


def findings(rule: Rule, cells: Cells) -> tuple[list[Finding], dict[str, str]]:
    """Judge a rule against the runs.

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
                found.append(_finding(rule, sample))
    return found, uncovered


def _finding(rule: Rule, sample: Sample) -> Finding:
    values = list(sample.by_seed.values())
    requirement = rule.requirement
    if isinstance(requirement, Order):
        parted = 1.0 if sample.ratio else 0.0
        requirement = Bound(side="above", value=parted, strict=True, relative=False)
    allowed = _range(requirement, sample)
    low, high = allowed or (-math.inf, math.inf)
    plain = Finding(
        stack=sample.stack,
        part=rule.area.part,
        point=sample.point,
        measurand=rule.measurand.name,
        statistic=_statistic(rule, ratio=sample.ratio),
        unit=sample.unit,
        published=rule.text,
        low=low,
        high=high,
        ours=interval(values) if values else None,
        n=len(values),
        trouble=_trouble_of(rule, sample, values)
        if allowed
        else "the swept key is not a number here",
        note=_note(sample),
    )
    if plain.trouble is not None:
        return plain
    if sample.exact:
        one = Interval(values[0], values[0], values[0], IntervalKind.EXACT, len(values))
        found = replace(plain, ours=one, n=1, exact=True)
        return _exactly_held(found, requirement)
    known = sample.estimate()
    ours = known.interval
    if plain.statistic in {"level", "mean"}:
        ours = ours.within(*rule.measurand.possible)
    found = replace(plain, ours=ours)
    if isinstance(requirement, Expected):
        return _held_to_range(found, known)
    return _held_to_bound(found, known, requirement, _slack(requirement, sample))


def _exactly_held(finding: Finding, requirement: Expected | Bound) -> Finding:
    """Hold one number against the rule: it has no spread, so nothing is tested."""
    value = _value(finding)
    if isinstance(requirement, Expected):
        slack = ROUNDING * max(abs(finding.low), abs(finding.high))
        holds = finding.low - slack <= value <= finding.high + slack
        p_for = None if holds else 1.0
    else:
        holds = requirement.holds(value)
        p_for = 0.0 if holds else 1.0
    p_against = 1.0 if holds else 0.0
    return replace(finding, meets=holds, fails=not holds, p_for=p_for, p_against=p_against)


def _value(finding: Finding) -> float:
    return math.nan if finding.ours is None else finding.ours.mean


def _held_to_range(finding: Finding, known: Estimate) -> Finding:
    """Meeting the range and being narrower than it is enough; lying wholly outside is shown."""
    side: Side = "below" if known.interval.mean < finding.low else "above"
    bound = finding.low if side == "below" else finding.high
    p_against = known.evidence.p_value(bound, side)
    outside = p_against <= 1 - CONFIDENCE
    ours = known.interval if finding.ours is None else finding.ours
    width = ours.high - ours.low
    meets = not outside and (width == 0 or width < finding.high - finding.low)
    return replace(finding, meets=meets, fails=outside, p_for=None, p_against=p_against)


def _held_to_bound(finding: Finding, known: Estimate, bound: Bound, slack: float) -> Finding:
    """Lying wholly on a side is shown, whichever it is."""
    if known.interval.low == known.interval.high:
        holds = bound.holds(known.interval.mean)
        p_for, p_against = (0.0, 1.0) if holds else (1.0, 0.0)
    else:
        other: Side = "below" if bound.side == "above" else "above"
        end = bound.value - slack if bound.side == "above" else bound.value + slack
        p_for = known.evidence.p_value(end, bound.side)
        p_against = known.evidence.p_value(end, other)
    alpha = 1 - CONFIDENCE
    return replace(
        finding,
        meets=p_for <= alpha,
        fails=p_against <= alpha,
        p_for=p_for,
        p_against=p_against,
    )


def _slack(bound: Bound, sample: Sample) -> float:
    """Give how far a bound lies before its value: a peak on it is meant, too.

    The nearest point that does not hold lies a step away, the bound between them.
    """
    return 0.0 if bound.strict or len(sample.arms) > 1 else sample.arms[0].peak_step / 2


def _statistic(rule: Rule, *, ratio: bool) -> Statistic:
    if isinstance(rule.requirement, Order):
        return "ratio" if ratio else "difference"
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
    lacking = sample.runs_without_value
    if lacking:
        return f"{sample.lacking} in {lacking} of {len(values)} repetitions"
    if len(values) == 1:
        return "1 repetition, which has no spread"
    apart = 1.0 if sample.ratio else 0.0
    if isinstance(rule.requirement, Order) and all(value == apart for value in values):
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
        statistic=_statistic(rule, ratio=False),
        unit="",
        published=rule.text,
        trouble="no run at a point as the rule asks for",
    )

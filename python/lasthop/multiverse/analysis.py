"""Judges each claim of a study in each universe of its multiverse."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.answer.projection import of_claims, project
from lasthop.claims import Claim, ClaimVerdict, Judgement, judge
from lasthop.multiverse.choices import (
    Choice,
    Condition,
    alternatives,
    conditions,
    counting_choices,
    stack_choices,
)
from lasthop.multiverse.counting import CHANGED, READ, with_payload_bytes
from lasthop.multiverse.findings import ClaimAcross, Effect, Multiverse, Spread, Universe
from lasthop.multiverse.universes import Universes
from lasthop.study.claims.claim import Order
from lasthop.study.plan.multiverse import MultiversePlan

_TAIL = 0.05


def analyse(
    runs: pl.LazyFrame,
    study: Mapping[str, Any],
    *,
    began: Callable[[int], None] = lambda _: None,
    judged: Callable[[], None] = lambda: None,
) -> Multiverse:
    """Judge the claims of the varied study in every universe.

    Each verdict stands alone: there is no correction over claims or universes, since their
    shares describe and test nothing.

    Parameters
    ----------
    runs
        ``runs.parquet``, of which the columns that the claims need are read.
    study
        The study as the manifest keeps it, with its ``multiverse``.
    began
        Called with the number of universes, over all claims.
    judged
        Called after each of them.
    """
    plan = MultiversePlan.written(study["multiverse"])
    arms = alternatives(study["stacks"], plan.application)
    table = project(with_payload_bytes(runs), study, of_claims(plan.claims) | READ)
    found = conditions(study, table, plan)
    distinct = {each.choice.name: each.choice for each in found}
    choices = (*stack_choices(arms), *distinct.values(), *counting_choices(plan))
    lacking = {claim.id: _lacking(claim, plan, table) for claim in plan.claims}
    universes = {
        claim.id: _universes(claim, arms=arms, plan=plan, found=found)
        for claim in plan.claims
        if lacking[claim.id] is None
    }
    began(sum(map(len, universes.values())))
    across: list[ClaimAcross] = []
    not_judged: dict[str, str] = {}
    for claim in plan.claims:
        reason = lacking[claim.id]
        if reason is not None:
            not_judged[claim.id] = reason
            continue
        verdicts = []
        for verdict in _judged(claim, table, universes[claim.id]):
            verdicts.append(verdict)
            judged()
        first = verdicts[0].judgement
        if first.verdict in {None, ClaimVerdict.NOT_COVERED}:
            not_judged[claim.id] = first.reason
        else:
            across.append(_across(claim, verdicts, choices))
    return Multiverse(
        of=plan.of,
        stack=plan.stack,
        choices=choices,
        claims=tuple(across),
        not_judged=not_judged,
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """A judged claim in one universe."""

    chosen: Mapping[str, str]
    judgement: Judgement


def _lacking(claim: Claim, plan: MultiversePlan, runs: pl.DataFrame) -> str | None:
    """Return why a claim cannot be judged in any universe; None if it can."""
    if not claim.rules:
        return claim.not_covered or "a note, not judged"
    stacks, parts = _stacks(claim), _parts(claim)
    if plan.stack not in stacks:
        return f"it is not about {plan.stack}"
    known = {*runs["stack"].unique(), plan.stack}
    for kind, names in (("stack", stacks - known), ("part", parts - {*runs["part"].unique()})):
        if names:
            return f"needs the {kind} {', '.join(sorted(names))}"
    return None


def _universes(
    claim: Claim,
    *,
    arms: Mapping[str, Mapping[str, str]],
    plan: MultiversePlan,
    found: Sequence[Condition],
) -> Universes:
    columns, parts = _columns(claim), _parts(claim)
    return Universes(
        arms=arms,
        stands_for=plan.stack,
        conditions=[condition for condition in found if condition.part in parts],
        counting={name: ways for name, ways in plan.counting.items() if CHANGED[name] & columns},
        read=of_claims([claim]),
    )


def _judged(claim: Claim, runs: pl.DataFrame, universes: Universes) -> Iterator[_Judged]:
    mine = runs.filter(pl.col("part").is_in(_parts(claim)))
    for chosen, rows in universes.of(mine):
        yield _Judged(chosen, judge([claim], rows)[0])


def _across(claim: Claim, judged: Sequence[_Judged], choices: Sequence[Choice]) -> ClaimAcross:
    first = judged[0]
    effects = [
        Effect(
            choice=choice,
            by_value={
                value: _spread([each for each in judged if each.chosen[choice.name] == value])
                for value in choice.values
            },
        )
        for choice in choices
        if len({each.chosen.get(choice.name) for each in judged}) > 1
    ]
    finding = first.judgement.findings[0]
    verdicts = Counter(_verdict(each) for each in judged)
    return ClaimAcross(
        id=claim.id,
        what=claim.what,
        published=claim.published,
        unit=first.judgement.unit,
        low=finding.low,
        high=finding.high,
        verdicts={verdict: verdicts[verdict] for verdict in ClaimVerdict},
        overall=_spread(judged),
        effects=tuple(sorted(effects, key=lambda effect: -effect.weight)),
        first=_universe(first, None),
        one_change=tuple(_one_change(judged, choices)),
    )


def _one_change(judged: Sequence[_Judged], choices: Sequence[Choice]) -> Iterator[Universe]:
    """Yield the universes that differ from the first one in a single choice."""
    first = judged[0].chosen
    beside = {
        changed[0]: each
        for each in judged
        if len(changed := [item for item in each.chosen.items() if item not in first.items()]) == 1
    }
    for choice in choices:
        for value in choice.values:
            if (choice.name, value) in beside:
                yield _universe(beside[choice.name, value], (choice.name, value))


def _universe(judged: _Judged, changed: tuple[str, str] | None) -> Universe:
    found = judged.judgement
    return Universe(
        changed=changed, ours=found.ours, interval=found.interval, verdict=_verdict(judged)
    )


def _verdict(judged: _Judged) -> ClaimVerdict:
    return judged.judgement.verdict or ClaimVerdict.UNDECIDED


def _spread(judged: Sequence[_Judged]) -> Spread:
    ours = sorted(each.judgement.ours for each in judged if each.judgement.ours is not None)
    return Spread(
        universes=len(judged),
        holding=sum(_verdict(each).supports for each in judged),
        low=_quantile(ours, _TAIL),
        median=_quantile(ours, 0.5),
        high=_quantile(ours, 1 - _TAIL),
    )


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[round(share * (len(ordered) - 1))] if ordered else None


def _stacks(claim: Claim) -> set[str]:
    named = {stack for rule in claim.rules for stack in rule.stacks}
    related = (rule.relative_to for rule in claim.rules)
    return named | {other.stack for other in related if other and other.stack}


def _parts(claim: Claim) -> set[str]:
    areas = [rule.area for rule in claim.rules]
    orders = [rule.requirement for rule in claim.rules if isinstance(rule.requirement, Order)]
    areas += [arm.area for order in orders for arm in order.arms]
    areas += [rule.relative_to.area for rule in claim.rules if rule.relative_to]
    return {area.part for area in areas}


def _columns(claim: Claim) -> frozenset[str]:
    measured = [rule.measurand for rule in claim.rules]
    measured += [rule.relative_to.measurand for rule in claim.rules if rule.relative_to]
    return frozenset(column for measurand in measured for column in measurand.columns)

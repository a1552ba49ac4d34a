"""A comparison as plain values, for JSON."""

import math
from typing import Any

from lasthop.compare.comparison import Change, Comparison, CompletionChange
from lasthop.compare.effect import EffectVerdict
from lasthop.compare.pairing import Pair
from lasthop.compare.place import Place
from lasthop.compare.power import POWER, Detectable, Planned
from lasthop.compare.summary import summary
from lasthop.statistics.intervals import Interval


def plain(comparison: Comparison) -> dict[str, Any]:
    """Return it as plain values. None is infinite."""
    return {
        "summary": summary(comparison),
        "differences": list(comparison.differences),
        "smallest_effects": {
            watched.column.name: watched.smallest_effect for watched in comparison.watched
        },
        "detectable": [detectable_plain(found) for found in comparison.detectable],
        "tested": comparison.tested,
        "counts": {verdict.value: comparison.count(verdict) for verdict in EffectVerdict},
        "changes": [_change(change) for change in comparison.changes],
        "completion": [_completion(change) for change in comparison.completion],
        "only_in_base": [_arm(*arm) for arm in comparison.only_in_base],
        "only_in_new": [_arm(*arm) for arm in comparison.only_in_new],
    }


def detectable_plain(found: Detectable) -> dict[str, Any]:
    """Return a foreseen change as plain values."""
    return {
        **_arm(*found.key),
        "column": found.measure.column.name,
        "smallest_effect": found.measure.smallest_effect,
        "repetitions": found.repetitions,
        "change": found.change,
        "power": POWER,
    }


def planned_plain(found: Planned) -> dict[str, Any]:
    """Return foreseen repetitions as plain values."""
    return {
        **_arm(*found.key),
        "column": found.measure.column.name,
        "smallest_effect": found.measure.smallest_effect,
        "repetitions": found.repetitions,
        "needed": found.needed,
    }


def _change(change: Change) -> dict[str, Any]:
    effect, contrast = change.effect, change.effect.contrast
    return {
        **_pair(change.pair),
        "column": change.measure.column.name,
        "unit": change.measure.column.unit,
        "more_is_better": change.measure.more_is_better,
        "base": _interval(effect.base),
        "new": _interval(effect.new),
        "scale": contrast.scale.value,
        "change": _interval(contrast.change),
        "standardised": None if effect.standardised is None else _finite(effect.standardised),
        "paired": contrast.paired,
        "p_value": effect.p_value,
        "verdict": effect.verdict.value,
    }


def _completion(change: CompletionChange) -> dict[str, Any]:
    return {
        **_pair(change.pair),
        "base": change.base,
        "new": change.new,
        "verdict": change.verdict.value,
    }


def _pair(pair: Pair) -> dict[str, Any]:
    """Name the new arm, and that of the base where it is another one."""
    return {**_arm(*pair.new), "of_base": None if pair.base == pair.new else _arm(*pair.base)}


def _arm(place: Place, stack: str) -> dict[str, Any]:
    return {"part": place.part, "point": dict(place.values), "stack": stack}


def _interval(found: Interval) -> dict[str, Any]:
    return {
        "mean": _finite(found.mean),
        "low": _finite(found.low),
        "high": _finite(found.high),
        "kind": found.kind.value,
        "repetitions": found.repetitions,
        "unreached": found.unreached,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""Reads only the needed columns of the wide `runs.parquet`, so that many runs fit in memory."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import polars as pl

from lasthop.answer.points import parts_of
from lasthop.measures import Measure, column_of, resolve_column
from lasthop.study.claims.claim import Area, Claim, Order, Rule
from lasthop.study.expressions import parse_expression

DESCRIBING = ("part", "run_id", "stack", "repetition", "seed", "status", "reason")
"""Columns that every question needs: identity and status of a run."""

SHOWN = (
    "delivery_ratio",
    "latency_p50_ms",
    "latency_p95_ms",
    "wire_bytes_up_offered",
    "wire_bytes_down_offered",
    "battery_years",
)
"""Columns that an answer shows for every stack."""

_LONG = frozenset({"study", "case_id", "stack_resolved", "engine", "trace_hash", "run_spec"})
"""Columns that no figure draws; they take most of a row's memory."""


def of_question(study: Mapping[str, Any], existing: Iterable[str]) -> frozenset[str]:
    """Name the columns by which a study is decided, as the manifest holds it."""
    columns = list(existing)
    asked: Mapping[str, Any] = study.get("decide") or {}
    aim = asked.get("minimise") or asked.get("maximise")
    named = resolve_column(aim, columns) if aim else None
    decided_by = () if named is None else (named, *_trials_of(column_of(named)))
    required = of_expressions(asked.get("require") or ())
    trials = (name for it in required for name in _trials_of(column_of(it)))
    return frozenset(name for name in (*SHOWN, *decided_by, *required, *trials) if name in columns)


def of_expressions(texts: Iterable[str]) -> frozenset[str]:
    """Name the columns that expressions may read."""
    comparisons = chain.from_iterable(parse_expression(text).comparisons for text in texts)
    return frozenset(chain.from_iterable(comparison.columns for comparison in comparisons))


def of_claims(claims: Iterable[Claim]) -> frozenset[str]:
    """Name the measured columns that claims are about."""
    return frozenset(chain.from_iterable(_of_rule(rule) for one in claims for rule in one.rules))


def project(
    runs: pl.LazyFrame, study: Mapping[str, Any], measured: Iterable[str] = ()
) -> pl.DataFrame:
    """Read the columns that identify runs, the swept ones, and the requested measures.

    The run spec comes with them where swept values that are no scalars need it to be told apart.
    """
    existing = runs.collect_schema().names()
    swept = _swept(study, existing)
    wanted = {*DESCRIBING, *swept, *measured}
    if swept and any(runs.select(pl.col(swept).has_nulls()).collect().row(0)):
        wanted.add("run_spec")
    return runs.select(name for name in existing if name in wanted).collect()


def project_for_figures(
    runs: pl.LazyFrame, study: Mapping[str, Any], measured: Iterable[str]
) -> pl.DataFrame:
    """Read the needed columns, and all others that a figure can show."""
    existing = [name for name in runs.collect_schema().names() if name not in _LONG]
    empty = runs.select(pl.col(existing).is_null().all()).collect().row(0, named=True)
    return project(runs, study, {*measured, *(name for name in existing if not empty[name])})


def _swept(study: Mapping[str, Any], existing: Iterable[str]) -> list[str]:
    swept = {entry["column"] for part in parts_of(study) for entry in part.get("swept", ())}
    return [name for name in existing if name in swept]


def _trials_of(measure: Measure) -> tuple[str, ...]:
    """Name what counts the trials of a share."""
    return () if measure.trials is None else (measure.trials.of,)


def _of_rule(rule: Rule) -> Iterable[str]:
    yield from rule.measurand.columns
    yield from _trials_of(rule.measurand.measure)
    yield from _of_area(rule.area)
    if rule.relative_to is not None:
        yield from rule.relative_to.measurand.columns
        yield from _of_area(rule.relative_to.area)
    if isinstance(rule.requirement, Order):
        for arm in rule.requirement.arms:
            yield from _of_area(arm.area)


def _of_area(area: Area) -> Iterable[str]:
    if area.where is not None:
        for comparison in area.where.comparisons:
            yield from comparison.columns

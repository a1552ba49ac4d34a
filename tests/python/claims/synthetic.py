"""Made-up runs of a study: a formula says what a stack measures at a point."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl

from lasthop.study import Study

Measured = Mapping[str, float | None]
Formula = Callable[[str, str, Mapping[str, Any], int], Measured]
"""Of stack, part, swept values and repetition."""

SPREAD = (-0.010, 0.004, 0.012, -0.007, 0.001)
"""By how much each of five repetitions is off, relatively: they sum to zero."""

PLAIN: Measured = {
    "delivery_ratio": 1.0,
    "latency_mean_ms": 100.0,
    "latency_p95_ms": 200.0,
    "wire_bytes_up_offered": 1000.0,
    "wire_bytes_down_offered": 1000.0,
    "control_bytes_per_100_ethernet": 76.0,
    "simulated_s": 60.0,
}


def runs_of(
    study: Study, formula: Formula, *, statuses: Mapping[str, tuple[str, str]] | None = None
) -> pl.DataFrame:
    """Give the rows of ``runs.parquet`` for a study; ``statuses`` replaces those of stacks."""
    return pl.DataFrame(
        list(_rows(study, formula, statuses or {})),
        infer_schema_length=None,
    )


def spread(value: float, repetition: int) -> float:
    """Move a value a little, by the repetition."""
    return value * (1 + SPREAD[(repetition - 1) % len(SPREAD)])


def _rows(
    study: Study, formula: Formula, statuses: Mapping[str, tuple[str, str]]
) -> Iterable[dict[str, Any]]:
    for run in study.planned_runs():
        usual = ("completed", None) if run.supported else ("unsupported", run.reason)
        status, reason = statuses.get(run.stack, usual)
        swept = dict(run.parameters)
        measured: Measured = dict.fromkeys(PLAIN)
        if status == "completed":
            measured = {**PLAIN, **formula(run.stack, run.part, swept, run.repetition)}
        yield {
            "part": run.part,
            "stack": run.stack,
            "seed": run.seed,
            "repetition": run.repetition,
            "status": status,
            "reason": reason,
            **measured,
            **swept,
        }

"""What `lasthop compare` says of two folders whose seeds differ: Welch's t of the logarithms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from benchmarks.few_repetitions.laws import Law, pairs

from lasthop.compare.comparison import compare
from lasthop.compare.effect import Effect, EffectVerdict
from lasthop.outcome.results import Results
from lasthop.results.manifest import Manifest

COLUMN = "latency_p99_ms"
STUDY: Mapping[str, Any] = {
    "decide": {"minimise": "latency_p99", "maximise": None, "smallest_effect": 0.05},
    "parts": [{"name": "base", "swept": []}],
    "stacks": [],
}


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of comparisons, in percent.

    Parameters
    ----------
    changed : float
        Something was said to be better or worse.
    covered : float
        The interval holds the true ratio.
    """

    changed: float
    covered: float


def rates(law: Law, *, times: float, repetitions: int, samples: int, seed: int) -> Rates:
    """Compare folders of independent repetitions, those of the new one ``times`` as large."""
    draw = np.random.default_rng(seed)
    before, after = pairs(
        (law, law), repetitions=repetitions, samples=samples, correlation=0.0, draw=draw
    )
    found = [
        compared(base, new)
        for base, new in zip(before.tolist(), (times * after).tolist(), strict=True)
    ]
    changed = sum(effect.verdict in {EffectVerdict.WORSE, EffectVerdict.BETTER} for effect in found)
    intervals = [effect.contrast.interval for effect in found]
    covered = sum(interval.low <= times <= interval.high for interval in intervals)
    return Rates(100 * changed / samples, 100 * covered / samples)


def compared(base: Sequence[float], new: Sequence[float]) -> Effect:
    """Compare two folders of one stack, a value a run."""
    comparison = compare(_results(base, 0), _results(new, len(base)))
    (change,) = comparison.changes
    return change.effect


def _results(values: Sequence[float], first_seed: int) -> Results:
    """Give a folder as it is read back."""
    seeds = range(first_seed, first_seed + len(values))
    results = Results(Path("in memory"))
    results.manifest = Manifest(
        study=STUDY,
        study_hash="",
        plan_hash="",
        selection=None,
        planned_runs=len(values),
        seeds={},
        command="",
        state="complete",
    )
    results.checked = True
    results.runs = pl.DataFrame(
        {
            "part": "base",
            "run_id": [str(seed) for seed in seeds],
            "stack": "a",
            "seed": list(seeds),
            "status": "completed",
            "reason": pl.Series([None] * len(values), dtype=pl.String),
            COLUMN: values,
        }
    )
    return results

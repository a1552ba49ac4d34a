"""Prints the measured values of an invalid load, and marks them as invalid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.answer.quantities import format_quantity
from lasthop.cli.output import say

if TYPE_CHECKING:
    from lasthop.outcome.results import Results

_SHOWN = {
    "delivery_ratio": ("delivery", "fraction", "nothing offered"),
    "latency_p50_ms": ("p50", "ms", "not reached"),
    "latency_p95_ms": ("p95", "ms", "not reached"),
    "latency_p99_ms": ("p99", "ms", "not reached"),
    "latency_max_ms": ("max", "ms", "nothing delivered"),
}


def say_invalid(results: Results) -> None:
    """Print the values of each invalid load run, and why it is invalid."""
    for row in _invalid_loads(results):
        say(f"invalid  {_in_words(row)}")


def plain_invalid(results: Results) -> dict[str, Any]:
    """Give the invalid runs as plain values; empty if there are none."""
    found = _invalid_loads(results)
    return {"invalid_runs": found} if found else {}


def _invalid_loads(results: Results) -> list[dict[str, Any]]:
    if not results.manifest.counts.get("invalid"):
        return []
    described = results.described(["engine", *_SHOWN])
    rows = described.filter(engine="load", status="invalid").unique("run_id", maintain_order=True)
    shown = ("run_id", "stack", "repetition", "reason", *_SHOWN)
    return [
        {name: row[name] for name in shown}
        for row in rows.to_dicts()
        if row["delivery_ratio"] is not None
    ]


def _in_words(row: dict[str, Any]) -> str:
    values = ", ".join(
        f"{word} {format_quantity(row[name], unit, missing=missing)}"
        for name, (word, unit, missing) in _SHOWN.items()
    )
    run = f"{row['stack']}, repetition {row['repetition']}"
    return f"{run}: {values}; not an answer, since {row['reason']}"

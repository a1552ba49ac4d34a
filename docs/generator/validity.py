"""Where the simulator was held against real software, from what `--engine both --json` printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs.generator import markdown
from docs.generator.markdown import code

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[1] / "validity"
"""A file a command, named after its study."""

_HEAD = ("metric", "simulated", "real", "real minus simulated", "limit", "verdict")
_SOFTWARE = ("software", "version", "runs", "most attempts a run", "most processor pressure")
_METRICS = ("delivery", "latency p50", "latency p95")


def tables() -> str:
    """Write a section for each file: the software, a table for each stack, what did not run."""
    return "\n\n".join(_section(file) for file in sorted(FOLDER.glob("*.json")))


def summary() -> str:
    """Write a row for each stack and program: how far off each metric is, with its verdict."""
    told = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("*.json"))]
    return markdown.table(
        ("stack and software", "study", "repetitions", *_METRICS),
        [row for each in told for row in _summary_rows(each)],
    )


def _summary_rows(told: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for stack, place in dict.fromkeys((row["stack"], row["place"]) for row in told["rows"]):
        rows = {
            row["metric"]: row
            for row in told["rows"]
            if (row["stack"], row["place"]) == (stack, place)
        }
        repetitions = str(next(iter(rows.values()))["repetitions"])
        cells = [_how_far(rows[metric]) for metric in _METRICS]
        yield (code(stack), code(told["study"]), repetitions, *cells)


def _how_far(row: dict[str, Any]) -> str:
    """Write the difference of a metric and its verdict; of delivery in percentage points."""
    verdict = row["verdict"]
    difference, simulated = row["difference"]["mean"], row["virtual"]["mean"]
    if difference is None:
        return str(verdict)
    if row["unit"] == "fraction":
        return f"{verdict}: {100 * difference:+z.1f} points"
    return f"{verdict}: {difference:+z.1f} ms of {simulated:.0f} ms"


def _section(file: Path) -> str:
    told = json.loads(file.read_text(encoding="utf-8"))
    parts = [f"### {code(told['study'])}", markdown.table(_SOFTWARE, _software(told))]
    cases = dict.fromkeys((row["stack"], row["place"]) for row in told["rows"])
    for stack, place in cases:
        rows = [row for row in told["rows"] if (row["stack"], row["place"]) == (stack, place)]
        gap = next(it for it in told["gaps"] if (it["stack"], it["place"]) == (stack, place))
        share = 100 * gap["bytes"] / gap["virtual_bytes"]
        parts += [
            f"**{code(stack)}**, {rows[0]['repetitions']} repetitions; all bytes {share:+.1f} %:",
            markdown.table(_HEAD, map(_cells, rows)),
        ]
    parts += [f"Not run: {code(it['stack'])}, {it['reason']}." for it in told["missing"]]
    return "\n\n".join(parts)


def _software(told: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for it in told["software"]:
        pressure = f"{100 * it['most_cpu_pressure']:.0f} %"
        yield (it["name"], it["version"], str(it["runs"]), str(it["most_attempts"]), pressure)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    worlds = [_value(row[name], row["unit"]) for name in ("virtual", "live")]
    is_known = row["difference"]["mean"] is not None
    difference = _value(row["difference"], row["unit"]) if is_known else ""
    return (row["metric"], *worlds, difference, row["limit"], row["verdict"])


def _value(ends: dict[str, float | None], unit: str) -> str:
    if ends["mean"] is None:
        return "not reached"
    factor, written = (100.0, "%") if unit == "fraction" else (1.0, unit)
    mean, low, high = (None if end is None else factor * end for end in ends.values())
    if low is None or high is None or low == high:
        return f"{mean:.4g} {written}".strip()
    return f"{mean:.4g} {written} ({low:.4g} to {high:.4g})"

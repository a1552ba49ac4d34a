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

_HEAD = ("metric", "simulated", "live", "live less simulated", "limit", "verdict")


def tables() -> str:
    """Write a section for each file: the software, a table for each stack, what did not run."""
    return "\n\n".join(_section(file) for file in sorted(FOLDER.glob("*.json")))


def _section(file: Path) -> str:
    told = json.loads(file.read_text(encoding="utf-8"))
    parts = [f"### {code(told['study'])}", " ".join(_software(told))]
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


def _software(told: dict[str, Any]) -> Iterator[str]:
    for it in told["software"]:
        attempts = "" if it["most_attempts"] == 1 else f", in up to {it['most_attempts']} attempts"
        yield (
            f"{it['name']} {it['version']}: {it['runs']} runs{attempts}, some task of the machine "
            f"waiting for a processor in up to {100 * it['most_cpu_pressure']:.0f} % of the time."
        )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    worlds = [_value(row[name], row["unit"]) for name in ("virtual", "live")]
    is_known = row["difference"]["mean"] is not None
    difference = _value(row["difference"], row["unit"]) if is_known else ""
    return (row["metric"], *worlds, difference, row["limit"], row["verdict"])


def _value(ends: dict[str, float | None], unit: str) -> str:
    if ends["mean"] is None:
        return "never"
    factor, written = (100.0, "%") if unit == "fraction" else (1.0, unit)
    mean, low, high = (None if end is None else factor * end for end in ends.values())
    if low is None or high is None or low == high:
        return f"{mean:.4g} {written}".strip()
    return f"{mean:.4g} {written} ({low:.4g} to {high:.4g})"

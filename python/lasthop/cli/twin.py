"""`lasthop run --engine both`: a study simulated and on real software, held against each other."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for pyarrow)

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.cli.execution import how_to_continue
from lasthop.cli.output import say, say_json, show
from lasthop.errors import EXIT_EXPECTATION_FAILED, EXIT_INVALID_RUN, EXIT_PASS, Interrupted

if TYPE_CHECKING:
    from lasthop.cli.execution import Request
    from lasthop.outcome.results import Results
    from lasthop.statistics.intervals import Interval
    from lasthop.twin import Twin, TwinRow
    from lasthop.twin.gap import GapRow

_STYLES = {"inside": "green", "outside": "red", "undecided": "yellow"}
WORLDS = ("virtual", "live")


def execute_both(request: "Request") -> int:
    """Run a study in both worlds, show and store the twin; return the exit code."""
    from lasthop.twin import Twin
    from lasthop.twin.stored import store

    out = request.folder(replace(request, engine="live").plan())
    virtual, live = (_run(request, world, out / world) for world in WORLDS)
    twin = Twin.of(virtual, live)
    store(twin, out)
    if request.report:
        for results in (virtual, live):
            results.report()
    code = _exit_code(twin, (virtual, live))
    if request.as_json:
        say_json({**_plain(twin), "folder": str(out), "exit_code": code})
    else:
        _show(twin, out)
    return code


def _run(request: "Request", world: str, out: Path) -> "Results":
    from lasthop.adapters import Bindings
    from lasthop.cli.progress import TerminalProgress
    from lasthop.running.run import carry_out

    plan = replace(request, engine=world, modelled=world == "virtual").plan()
    try:
        with TerminalProgress(quiet=request.quiet) as progress:
            return carry_out(
                plan,
                out=out,
                jobs=request.jobs,
                capture=request.capture,
                progress=progress,
                bindings=Bindings.read(request.impl),
            ).results
    except Interrupted as interruption:
        raise Interrupted(how_to_continue(out)) from interruption


def _exit_code(twin: "Twin", folders: "tuple[Results, Results]") -> int:
    from lasthop.twin import Verdict

    if twin.missing or any(not it.ruling.valid for it in folders):
        return EXIT_INVALID_RUN
    if any(it.manifest.counts.get("invalid", 0) for it in folders):
        return EXIT_INVALID_RUN
    return EXIT_EXPECTATION_FAILED if twin.count(Verdict.OUTSIDE) else EXIT_PASS


def _show(twin: "Twin", out: Path) -> None:
    from rich.table import Table
    from rich.text import Text

    for case in dict.fromkeys((row.place, row.stack) for row in twin.rows):
        say(f"{case[1]}  ({case[0]})")
        table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
        table.add_column("metric", no_wrap=True)
        for name in ("virtual", "live", "live - virtual", "limit"):
            table.add_column(name, justify="right")
        table.add_column("verdict", no_wrap=True)
        for row in twin.rows:
            if (row.place, row.stack) == case:
                words = row.verdict.value
                table.add_row(*map(Text, _cells(row)), Text(words, style=_STYLES[words]))
        show(table)
        for gap in twin.gaps:
            if (gap.place, gap.stack) == case:
                say(f"  {_gap_in_words(gap.rows)}")
        say()
    for missing in twin.missing:
        say(f"missing  {missing.stack} ({missing.place}): {missing.reason}")
    say(f"twin     {', '.join(_counts(twin))}")
    say(f"results  {out} (virtual/, live/, twin.parquet, twin_bytes.parquet)")


def _counts(twin: "Twin") -> list[str]:
    from lasthop.twin import Verdict

    return [f"{twin.count(verdict)} {verdict.value}" for verdict in Verdict]


def _cells(row: "TwinRow") -> tuple[str, ...]:
    ends = (row.virtual, row.live, row.difference)
    return (row.metric, *(_interval(found, row.unit) for found in ends), row.limit)


def _interval(found: "Interval", unit: str) -> str:
    factor, unit = (100.0, "%") if unit == "fraction" else (1.0, unit)
    if not math.isfinite(found.mean):
        return "never"
    mean, low, high = (f"{factor * value:.6g}" for value in (found.mean, found.low, found.high))
    if low == high:
        return f"{mean} {unit}".rstrip()
    width = factor * max(found.high - found.mean, found.mean - found.low)
    digits = max(0, 1 - math.floor(math.log10(width))) if math.isfinite(width) else 0
    ends = f"{factor * found.low:.{digits}f} to {factor * found.high:.{digits}f}"
    return f"{factor * found.mean:.{digits}f} {unit} ({ends})"


def _gap_in_words(rows: "tuple[GapRow, ...]") -> str:
    parts = [
        (row.gap_bytes, f"{row.direction} {row.layer} {row.cause} {row.gap_bytes:+g} B")
        for row in rows
    ]
    found = [words for size, words in parts if size]
    total = math.fsum(size for size, _ in parts)
    listed = "; ".join(found) or "nothing"
    return f"bytes live less virtual, a run: {total:+g} B = {listed}"


def _plain(twin: "Twin") -> dict[str, object]:
    return {
        "rows": [
            {
                "place": row.place,
                "stack": row.stack,
                "metric": row.metric,
                "unit": row.unit,
                "virtual": row.virtual.mean,
                "live": row.live.mean,
                "difference": [row.difference.low, row.difference.high],
                "limit": row.limit,
                "verdict": row.verdict.value,
            }
            for row in twin.rows
        ],
        "gaps": [
            {"place": gap.place, "stack": gap.stack, "bytes": gap.gap_bytes} for gap in twin.gaps
        ],
        "missing": [
            {"place": it.place, "stack": it.stack, "reason": it.reason} for it in twin.missing
        ],
    }

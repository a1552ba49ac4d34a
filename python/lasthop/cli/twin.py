"""`lasthop run --engine both`: a study simulated and on real software, held against each other."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for pyarrow)

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.cli.execution import how_to_continue
from lasthop.cli.output import say, say_json, show
from lasthop.errors import EXIT_EXPECTATION_FAILED, EXIT_INVALID_RUN, EXIT_PASS, Interrupted

if TYPE_CHECKING:
    from lasthop.cli.execution import Request
    from lasthop.outcome.results import Results
    from lasthop.twin import Twin

_STYLES = {"inside": "green", "outside": "red", "undecided": "yellow"}
WORLDS = ("virtual", "live")


def execute_both(request: "Request") -> int:
    """Run a study in both worlds, show and store the twin; return the exit code."""
    from lasthop.twin import Twin, World
    from lasthop.twin.stored import store

    out = request.folder(replace(request, engine="live").plan())
    virtual, live = (_run(request, world, out / world) for world in WORLDS)
    twin = Twin.of(*(World(it.manifest.study, it.runs, it.ledger) for it in (virtual, live)))
    store(twin, out)
    report = _report(twin, live, out) if request.report else None
    code = _exit_code(twin, (virtual, live))
    if request.as_json:
        written = None if report is None else str(report)
        say_json({**_plain(twin), "folder": str(out), "report": written, "exit_code": code})
    else:
        _show(twin, out)
        if report is not None:
            say(f"report   {report}")
            say(f"         {report.resolve().as_uri()}")
    return code


def _report(twin: "Twin", live: "Results", out: Path) -> Path:
    """Write the report of the live runs, with the twin in it."""
    from lasthop.report import write_report
    from lasthop.results.atomic import environment
    from lasthop.twin.section import twin_section

    with environment(out):
        return write_report([live.path], out=out / "report.html", first=twin_section(twin))


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

    from lasthop.twin.words import HEAD, cells, counts, gap_in_words

    for case in dict.fromkeys((row.place, row.stack) for row in twin.rows):
        say(f"{case[1]}  ({case[0]})")
        table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
        for name in HEAD:
            is_word = name in {"metric", "verdict"}
            table.add_column(name, justify="left" if is_word else "right", no_wrap=is_word)
        for row in twin.rows:
            if (row.place, row.stack) == case:
                *values, verdict = cells(row)
                table.add_row(*map(Text, values), Text(verdict, style=_STYLES[verdict]))
        show(table)
        for gap in twin.gaps:
            if (gap.place, gap.stack) == case:
                say(f"  {gap_in_words(gap.rows)}")
        say()
    for missing in twin.missing:
        say(f"missing  {missing.stack} ({missing.place}): {missing.reason}")
    say(f"twin     {counts(twin)}")
    say(f"results  {out} (virtual/, live/, twin.parquet, twin_bytes.parquet)")


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

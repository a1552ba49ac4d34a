"""`lasthop run --engine both`: a study simulated and on real software, held against each other."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.cli.execution import how_to_continue
from lasthop.cli.notes import say_notes
from lasthop.cli.output import say, say_json, show
from lasthop.cli.rounds import plain_rounds, rounds_in_words
from lasthop.cli.until_decided import check_at_most, tell
from lasthop.errors import EXIT_EXPECTATION_FAILED, EXIT_INVALID_RUN, EXIT_PASS, Interrupted

if TYPE_CHECKING:
    from lasthop.cli.execution import Request
    from lasthop.outcome.results import Results
    from lasthop.running.both_worlds import BothWorlds
    from lasthop.twin import Twin
    from lasthop.twin.claims import ClaimsInBoth

_STYLES = {"inside": "green", "outside": "red", "undecided": "yellow", "both never": "dim"}


def execute_both(request: "Request", *, until_decided: bool, at_most: int | None) -> int:
    """Run a study in both worlds, show and store the twin; return the exit code."""
    from lasthop.adapters import Bindings
    from lasthop.cli.progress import TerminalProgress
    from lasthop.running.both_worlds import carry_out_both
    from lasthop.twin.claims import ClaimsInBoth
    from lasthop.twin.job_summary import twin_summary
    from lasthop.twin.plain import plain
    from lasthop.twin.stored import store

    worlds = request.worlds()
    study = worlds["live"].load()
    say_notes(study, quiet=request.quiet)
    most = _most(study.repeat, at_most) if until_decided else study.repeat
    out = request.folder(worlds["live"].plan())
    try:
        with TerminalProgress(quiet=request.quiet) as progress:
            both = carry_out_both(
                lambda world, repeat: worlds[world].plan(repeat=repeat),
                repeat=study.repeat,
                at_most=most,
                out=out,
                jobs=request.jobs,
                capture=request.capture,
                progress=progress,
                bindings=Bindings.read(request.impl),
                round_ended=tell if until_decided and not request.quiet else lambda _: None,
            )
    except Interrupted as interruption:
        raise Interrupted(how_to_continue(out)) from interruption
    twin = both.twin
    store(twin, out)
    claims = ClaimsInBoth(both.virtual.judgements, both.live.judgements)
    request.summarise(both.live, twin_summary(study.name, twin, claims))
    report = _report(twin, claims, both.live, out) if request.report else None
    code = _exit_code(both)
    if request.as_json:
        written = None if report is None else str(report)
        rounds = plain_rounds(both) if until_decided else {}
        told = {"folder": str(out), "report": written, "exit_code": code}
        content = {**plain(twin, both.live.programs), "claims": claims.as_json()}
        say_json({"study": study.name, **content, **rounds, **told})
    else:
        _show(twin)
        _show_claims(claims)
        if until_decided:
            say(f"rounds   {rounds_in_words(both)}")
        say(f"results  {out} (virtual/, live/, twin.parquet, twin_bytes.parquet)")
        if report is not None:
            say(f"report   {report}")
            say(f"         {report.resolve().as_uri()}")
    return code


def _most(repeat: int, at_most: int | None) -> int:
    from lasthop.running.both_worlds import DEFAULT_AT_MOST

    most = max(DEFAULT_AT_MOST, repeat) if at_most is None else at_most
    return check_at_most(most, repeat)


def _report(twin: "Twin", claims: "ClaimsInBoth", live: "Results", out: Path) -> Path:
    """Write the report of the live runs, with the twin in it."""
    from lasthop.report import write_report
    from lasthop.results.atomic import environment
    from lasthop.twin.section import twin_section

    with environment(out):
        return write_report([live.path], out=out / "report.html", first=twin_section(twin, claims))


def _exit_code(both: "BothWorlds") -> int:
    from lasthop.twin import UNSUPPORTED, TwinVerdict

    folders = (both.virtual, both.live)
    if any(missing.status != UNSUPPORTED for missing in both.twin.missing):
        return EXIT_INVALID_RUN
    # In the virtual half two programs of a protocol are one arm, which no referee would let pass.
    if not both.live.ruling.valid or any(it.manifest.counts.get("invalid", 0) for it in folders):
        return EXIT_INVALID_RUN
    return EXIT_EXPECTATION_FAILED if both.twin.count(TwinVerdict.OUTSIDE) else EXIT_PASS


def _show_claims(claims: "ClaimsInBoth") -> None:
    from rich.table import Table
    from rich.text import Text

    from lasthop.twin.claims import HEAD

    if not claims:
        return
    say(f"claims, {claims.counts()}")
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    for name in HEAD:
        is_value = name in {"published", "virtual", "live"}
        table.add_column(name, justify="right" if is_value else "left", no_wrap=not name)
    for line in claims.cells():
        table.add_row(*map(Text, line))
    show(table)
    say()


def _show(twin: "Twin") -> None:
    from rich.table import Table
    from rich.text import Text

    from lasthop.twin.words import (
        DISTANCE_HEAD,
        HEAD,
        cells,
        counts,
        distances,
        gap_in_words,
    )

    say("How far is the simulator from real software?")
    farthest = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    for name in DISTANCE_HEAD:
        farthest.add_column(name, justify="right" if name == "apart" else "left")
    for *line, verdict in distances(twin):
        farthest.add_row(*map(Text, line), Text(verdict, style=_STYLES.get(verdict, "")))
    show(farthest)
    say(f"  {counts(twin)}\n")

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

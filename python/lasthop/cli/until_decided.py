"""`lasthop run --until-decided`: more repetitions, round by round, until nothing is open."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from lasthop.cli.execution import Request, how_to_continue
from lasthop.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from lasthop.running.until_decided import Round


def check(request: Request, *, until_decided: bool, dry_run: bool) -> None:
    """Refuse options that cannot be combined."""
    if not until_decided:
        raise UsageError("--at-most has no effect without --until-decided; add --until-decided")
    others = {
        "--quick": request.quick,
        "--capture": request.capture is not None,
        "--dry-run": dry_run,
        "--shard": request.selection.shard is not None,
        "--only": bool(request.selection.only),
    }
    for option, given in others.items():
        if given:
            raise UsageError(
                f"--until-decided and {option} cannot be used together; remove one of them"
            )


def execute_until_decided(request: Request, *, at_most: int | None) -> int:
    """Run rounds of repetitions, print open questions after each, then the answer."""
    study = request.load()
    if study.decide is None and not study.claims:
        message = "--until-decided: the study has no decision and no claims"
        raise UsageError(f'{message}; write "decide: {{minimise: latency_p95}}" in it')
    from lasthop.adapters import Bindings
    from lasthop.running.until_decided import DEFAULT_AT_MOST, carry_out_until_decided

    most = max(DEFAULT_AT_MOST, study.repeat) if at_most is None else at_most
    check_at_most(most, study.repeat)
    request.load(repeat=most)  # a grid that would be too large is refused now, not in a late round
    from lasthop.cli.conclusion import conclude
    from lasthop.cli.notes import say_notes
    from lasthop.cli.progress import TerminalProgress

    say_notes(study, quiet=request.quiet)
    out = request.folder(request.plan())
    try:
        with TerminalProgress(quiet=request.quiet) as progress, request.executor() as executor:
            rounds = carry_out_until_decided(
                lambda repeat: request.plan(repeat=repeat),
                repeat=study.repeat,
                at_most=most,
                out=out,
                jobs=request.jobs,
                progress=progress,
                executor=executor,
                bindings=Bindings.read(request.impl),
                round_ended=(lambda _: None) if request.quiet else tell,
            )
    except Interrupted as interruption:
        raise Interrupted(how_to_continue(out)) from interruption
    request.summarise(rounds.outcome.results)
    return conclude(
        rounds.outcome.results,
        rounds=rounds,
        already_complete=rounds.outcome.already_complete and len(rounds.rounds) == 1,
        strict=request.strict,
        report=out / "report.html" if request.report else None,
        as_json=request.as_json,
    )


def check_at_most(most: int, repeat: int) -> int:
    """Refuse to end with fewer repetitions than the study begins with."""
    if most < repeat:
        message = f"--at-most: {most} is less than the study's repeat, {repeat}"
        raise UsageError(f"{message}; write {repeat} or more")
    return most


def tell(ended: "Round") -> None:
    """Print the open questions after a round."""
    from lasthop.cli.rounds import round_in_lines

    with suppress(OSError, AttributeError):
        sys.stderr.write("".join(f"{line}\n" for line in round_in_lines(ended)))
        sys.stderr.flush()

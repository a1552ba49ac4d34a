"""`lasthop compare`: what changed between two result folders, for people and for CI."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import say_json
from lasthop.errors import EXIT_EXPECTATION_FAILED, EXIT_PASS, UsageError

if TYPE_CHECKING:
    from lasthop.compare.comparison import Comparison

NAME = "compare"
EXAMPLE = 'Example: lasthop compare results/main results/branch --smallest-effect "5 %"'


def command(  # noqa: PLR0913  (an argument is an option)
    base: Annotated[
        Path,
        typer.Argument(
            metavar="BASE", parser=options.read_path, help="Result folder to compare with."
        ),
    ],
    new: Annotated[
        Path | None,
        typer.Argument(
            metavar="NEW",
            parser=options.read_path,
            help="Result folder to judge. Without it, the command prints which changes such a "
            "comparison could find.",
            show_default=False,
        ),
    ] = None,
    *,
    smallest_effect: Annotated[
        str | None,
        typer.Option(
            "--smallest-effect",
            metavar="SHARE",
            help='Smallest change that matters, for example "5 %". For measures that are shares '
            "it is in percentage points. Smaller changes are ignored. Default: the value "
            "in the study.",
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="A=B",
            help="Compares stack A of BASE only with stack B of NEW. Repeatable. Default: each "
            "stack with itself.",
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also prints measures that are undecided or unchanged.")
    ] = False,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Exits with code 0 even when something got worse.")
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Show what got better or worse between two result folders.

    Each stack at each point is compared by delivery, latency, bytes and the measure of the study,
    paired by seed. With --pair one stack is compared with another; to compare two stacks of one
    folder, name the folder twice. Verdicts are corrected for all comparisons (Holm): where nothing
    has changed, at most 5 % of comparisons report a change. The first lines show which changes
    this number of repetitions can find. The exit code is 1 when something got worse.
    """
    smallest = None if smallest_effect is None else read_share(smallest_effect)
    from lasthop.compare.comparison import compare
    from lasthop.compare.plain import plain
    from lasthop.outcome.results import Results

    if new is None:
        return _foresee(base, smallest, pair=pair, as_json=as_json)
    found = compare(Results(base), Results(new), smallest_effect=smallest, stacks=tuple(pair or ()))
    code = _exit_code(found, report_only=report_only)
    if as_json:
        folders = {"base": str(base), "new": str(new)}
        say_json({**folders, **plain(found), "exit_code": code})
        return code
    from lasthop.cli.comparison import show_comparison

    show_comparison(found, everything=everything)
    return code


def _foresee(base: Path, smallest: float | None, *, pair: list[str] | None, as_json: bool) -> int:
    from lasthop.compare.comparison import foresee
    from lasthop.compare.plain import detectable_plain
    from lasthop.outcome.results import Results

    if pair:
        raise UsageError(
            "--pair: only one folder is given; to compare two of its stacks, write the folder twice"
        )
    found = foresee(Results(base), smallest_effect=smallest)
    if as_json:
        say_json({"base": str(base), "detectable": [detectable_plain(one) for one in found]})
        return EXIT_PASS
    from lasthop.cli.comparison import show_foreseen

    show_foreseen(found)
    return EXIT_PASS


def read_share(text: str, *, option: str = "--smallest-effect") -> float:
    """Read a share of an option.

    Raises
    ------
    UsageError
        It is none.
    """
    from lasthop.study.fields.quantity import FRACTION, parse
    from lasthop.study.text.faults import Fault

    try:
        return float(parse(text, FRACTION, example="5 %"))
    except Fault as fault:
        raise UsageError(f"{option}: {fault.what}; {fault.hint}") from None


def _exit_code(found: "Comparison", *, report_only: bool) -> int:
    from lasthop.compare.effect import EffectVerdict

    worse = found.count(EffectVerdict.WORSE) > 0 and not report_only
    return EXIT_EXPECTATION_FAILED if worse else EXIT_PASS

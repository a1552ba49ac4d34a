"""`lasthop plan`: how many repetitions a study needs."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lasthop.cli import options
from lasthop.cli.compare import read_share
from lasthop.cli.output import say, say_json
from lasthop.errors import EXIT_PASS, UsageError

if TYPE_CHECKING:
    from lasthop.compare.power import Planned

NAME = "plan"
EXAMPLE = 'Example: lasthop plan results/pilot --power "10 %" --measure latency_p95'


def command(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            parser=options.read_path,
            help="Result folder of a pilot: the study with a few repetitions, for example 5.",
        ),
    ],
    *,
    power: Annotated[
        str,
        typer.Option(
            "--power",
            metavar="SHARE",
            help='Change that the study must find, for example "10 %". For measures that are '
            "shares it is in percentage points.",
            show_default=False,
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Plans for this measure. Repeatable; more measures need more repetitions. "
            "Default: the measure that the study decides by.",
        ),
    ] = None,
    smallest_effect: Annotated[
        str | None,
        typer.Option(
            "--smallest-effect",
            metavar="SHARE",
            help='Smallest change that matters, for example "5 %". Default: the value in the '
            "study.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Foresee how many repetitions a comparison needs to find a change, in 80 % of cases.

    The spread is that of the pilot, so the answer is an estimate. Both sides of the comparison
    have as many repetitions. Verdicts are taken to be corrected for all stacks, points and
    measures of the plan. Stacks that are compared by the same seeds need fewer.
    """
    change = read_share(power, option="--power")
    smallest = None if smallest_effect is None else read_share(smallest_effect)
    if change <= 0:
        raise UsageError(f'--power: {power} is no change; write for example "10 %"')
    from lasthop.compare.comparison import plan_repetitions
    from lasthop.compare.plain import planned_plain
    from lasthop.compare.power import POWER
    from lasthop.outcome.results import Results

    found = plan_repetitions(
        Results(results), change, measures=tuple(measure or ()), smallest_effect=smallest
    )
    if as_json:
        planned = [planned_plain(one) for one in found]
        say_json({"pilot": str(results), "change": change, "power": POWER, "planned": planned})
        return EXIT_PASS
    _show(found, power)
    return EXIT_PASS


def _show(found: Sequence["Planned"], power: str) -> None:
    """Write what suffices for all, then a row for each stack and point."""
    from rich.table import Table
    from rich.text import Text

    from lasthop.answer.quantities import NOTHING
    from lasthop.cli.output import show

    say(_summary(found, power))
    for line in _remarks(found, power):
        say(line)
    names = list(dict.fromkeys(one.measure.column.short_name for one in found))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("stack", "where"):
        table.add_column(heading)
    for name in names:
        table.add_column(name, justify="right")
    cells = {(one.key, one.measure.column.short_name): one.needed for one in found}
    for key in dict.fromkeys(one.key for one in found):
        place, stack = key
        needed = (cells.get((key, name)) for name in names)
        told = [NOTHING if it is None else f"{it:,}" for it in needed]
        table.add_row(*map(Text, (stack, place.label, *told)))
    show(table)


def _summary(found: Sequence["Planned"], power: str) -> str:
    from lasthop.answer.quantities import format_quantity
    from lasthop.compare.power import POWER

    known = [one for one in found if one.needed is not None]
    share = format_quantity(POWER, "fraction")
    if not known:
        return f"plan     no number of repetitions can be foreseen for a change of {power}"
    most = max(known, key=lambda one: one.needed or 0)
    place, stack = most.key
    return (
        f"plan     repeat: {most.needed:,} finds a change of {power} in {share} of cases; "
        f"{most.measure.column.short_name} of {stack} ({place.label}) needs most"
    )


def _remarks(found: Sequence["Planned"], power: str) -> list[str]:
    """Say why some have no number."""
    lines = []
    if any(one.repetitions == 1 for one in found):
        lines.append("note     the pilot has single runs, which show no spread; write repeat: 5")
    unknown = [one for one in found if one.needed is None and one.repetitions > 1]
    change = read_share(power, option="--power")
    small = {
        one.measure.column.short_name: None
        for one in unknown
        if change <= one.measure.smallest_effect
    }
    if small:
        lines.append(
            f"note     {', '.join(small)}: a change of {power} does not matter in this study; "
            "write a smaller --smallest-effect, or a larger --power"
        )
    if any(one.measure.column.short_name not in small for one in unknown):
        lines.append("note     no number where a run has no value, or where a million do not do")
    return lines

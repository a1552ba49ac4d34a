"""A comparison, drawn for a terminal."""

import math
from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from lasthop.answer.contrast_words import change_of, effect_of, range_of
from lasthop.answer.quantities import NOTHING, format_quantity
from lasthop.cli.output import say, show
from lasthop.compare.comparison import Change, Comparison, CompletionChange
from lasthop.compare.effect import Effect, Verdict
from lasthop.compare.place import Place
from lasthop.measures import Kind, Measure
from lasthop.statistics.intervals import Interval

_MOST_ROWS = 60
_HEADINGS = ("", "stack", "where", "what", "base", "new", "change", "interval", "effect size")
_FIRST_NUMBER = _HEADINGS.index("base")
_STYLES = {Verdict.WORSE: "red", Verdict.BETTER: "green", Verdict.SAME: "dim"}


def show_comparison(comparison: Comparison, *, everything: bool) -> None:
    """Write what the folders differ in, a table of changes, and the count of each verdict."""
    for line in comparison.differences:
        say(f"note     {line}")
    for name, arms in (("base", comparison.only_in_base), ("new", comparison.only_in_new)):
        for line in _alone(arms):
            say(f"note     only in the {name}: {line}")
    for change in comparison.completion:
        line = f"{change.verdict.value:<9}{_completion(change)}"
        show(Text(line, style=_STYLES[change.verdict]))
    shown = _in_order(comparison.changes, everything=everything)
    if shown:
        show(_table(shown[:_MOST_ROWS]))
    if len(shown) > _MOST_ROWS:
        say(f"and {len(shown) - _MOST_ROWS} more; --json holds all")
    counts = ", ".join(f"{comparison.count(verdict)} {verdict.value}" for verdict in Verdict)
    say(f"changes  {counts}; {_smallest(comparison)}")
    if comparison.tested > 1:
        say(f"         worse and better hold together with 95 % (Holm, {comparison.tested} tests)")


def _smallest(comparison: Comparison) -> str:
    of_shares = {one.column.kind is Kind.SHARE: one for one in reversed(comparison.watched)}
    amounts, shares = (
        effect_of(one.column, one.smallest_effect) if one else ""
        for one in map(of_shares.get, (False, True))
    )
    both = ", of shares ".join(filter(None, (amounts, shares)))
    return f"a change of up to {both} does not matter"


def _alone(arms: Sequence[tuple[Place, str]]) -> Iterable[str]:
    stacks: dict[Place, list[str]] = {}
    for place, stack in arms:
        stacks.setdefault(place, []).append(stack)
    for place, names in stacks.items():
        yield f"{', '.join(names)} at {place.label}"


def _completion(change: CompletionChange) -> str:
    return f"{change.stack} at {change.place.label}: {change.base}; now {change.new}"


def _in_order(changes: Sequence[Change], *, everything: bool) -> list[Change]:
    """Sort by verdict, worse first, the largest change of a verdict first."""
    order = list(Verdict)
    wanted = [
        change for change in changes if everything or change.effect.verdict is not Verdict.SAME
    ]
    return sorted(
        wanted,
        key=lambda change: (
            order.index(change.effect.verdict),
            -change.effect.size,
        ),
    )


def _table(changes: Sequence[Change]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, heading in enumerate(_HEADINGS):
        table.add_column(heading, justify="right" if place >= _FIRST_NUMBER else "left")
    for change in changes:
        table.add_row(*map(Text, _cells(change)), style=_STYLES.get(change.effect.verdict, ""))
    return table


def _cells(change: Change) -> tuple[str, ...]:
    found, column = change.effect, change.measure.column
    base, new = (
        format_quantity(value.mean, column.unit, missing=column.missing)
        for value in (found.base, found.new)
    )
    return (
        found.verdict.value,
        change.stack,
        change.place.label,
        column.short_name,
        base,
        new,
        change_of(found.contrast, column),
        _interval(found, column),
        _size(found),
    )


def _interval(found: Effect, column: Measure) -> str:
    if found.base.unreached or found.new.unreached:
        return f"not reached in {_unreached(found.base)}, now {_unreached(found.new)}"
    if found.contrast.evidence is None:
        return "single run"
    pairing = "" if found.contrast.paired else ", unpaired"
    runs = found.contrast.interval.repetitions
    return f"{range_of(found.contrast, column)} ({runs}{pairing})"


def _unreached(value: Interval) -> str:
    return f"{value.unreached} of {value.repetitions}"


def _size(found: Effect) -> str:
    if found.standardised is None:
        return NOTHING
    if math.isinf(found.standardised):
        return "no spread"
    return f"{found.standardised:+.1f} sd".replace("-", "\N{MINUS SIGN}")

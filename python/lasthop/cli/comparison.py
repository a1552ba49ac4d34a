"""A comparison, drawn for a terminal."""

import math
from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from lasthop.answer.contrast_words import change_of, effect_of, range_of
from lasthop.answer.quantities import NOTHING, format_difference, format_quantity
from lasthop.cli.output import say, show
from lasthop.compare.comparison import Change, Comparison, CompletionChange
from lasthop.compare.effect import Effect, EffectVerdict
from lasthop.compare.place import Place
from lasthop.compare.power import POWER, Detectable, largest
from lasthop.compare.summary import summary
from lasthop.measures import Kind, Measure
from lasthop.statistics.intervals import Interval

_MOST_ROWS = 60
_HEADINGS = ("", "stack", "where", "what", "base", "new", "change", "interval", "effect size")
_FIRST_NUMBER = _HEADINGS.index("base")
_MOST_ALONE = 3
_CHANGED = {EffectVerdict.WORSE, EffectVerdict.BETTER}
_STYLES = {EffectVerdict.WORSE: "red", EffectVerdict.BETTER: "green", EffectVerdict.SAME: "dim"}


def show_comparison(comparison: Comparison, *, everything: bool) -> None:
    """Write the summary, a table of changes, and remarks on the folders."""
    say(summary(comparison))
    for change in comparison.completion:
        line = f"{change.verdict.value:<9}{_completion(change)}"
        show(Text(line, style=_STYLES[change.verdict]))
    wanted = _in_order(comparison.changes, everything=everything)
    shown = wanted if everything else wanted[:_MOST_ROWS]
    if shown:
        show(_table(shown))
    hidden = len(comparison.changes) - len(shown)
    if hidden and comparison.count(EffectVerdict.SAME) < comparison.total:
        say(f"and {hidden} more with --all")
    for line in comparison.differences:
        say(f"note     {line}")
    for name, arms in (("base", comparison.only_in_base), ("new", comparison.only_in_new)):
        for line in _alone(arms, everything=everything):
            say(f"note     only in the {name}: {line}")
    say(f"scale    {_smallest(comparison)}")
    if comparison.tested > 1:
        say(f"         worse and better hold together with 95 % (Holm, {comparison.tested} tests)")
    say(foreseen(comparison.detectable))


def foreseen(found: Sequence[Detectable]) -> str:
    """Describe which changes the comparison can find, for the weakest stack and point."""
    repetitions = min((one.repetitions for one in found), default=1)
    if repetitions == 1:
        return "detects  no change for certain: the base has single runs; write repeat: 5 or more"
    parts = [f"{one.measure.column.short_name} from {_found(one)}" for one in largest(found)]
    share = format_quantity(POWER, "fraction")
    return (
        f"detects  with {repetitions} repetitions a folder, in {share} of cases: {', '.join(parts)}"
    )


def show_foreseen(found: Sequence[Detectable]) -> None:
    """Write which changes a comparison with a folder would find, arm by arm."""
    say(foreseen(found))
    columns = list(dict.fromkeys(one.measure.column.name for one in found))
    rows: dict[tuple[Place, str], dict[str, Detectable]] = {}
    for one in found:
        rows.setdefault(one.key, {})[one.measure.column.name] = one
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("stack", "where"):
        table.add_column(heading)
    for name in columns:
        of_any = next(one for one in found if one.measure.column.name == name)
        table.add_column(of_any.measure.column.short_name, justify="right")
    for (place, stack), cells in rows.items():
        told = [_found(cells[name]) if name in cells else NOTHING for name in columns]
        table.add_row(*map(Text, (stack, place.label, *told)))
    show(table)


def _found(one: Detectable) -> str:
    if one.change is None:
        return NOTHING
    column = one.measure.column
    if column.kind is Kind.POSITIVE:
        return format_quantity(one.change, "fraction")
    return format_difference(one.change, column.unit).removeprefix("+")


def _smallest(comparison: Comparison) -> str:
    of_shares = {one.column.kind is Kind.SHARE: one for one in reversed(comparison.watched)}
    amounts, shares = (
        effect_of(one.column, one.smallest_effect) if one else ""
        for one in map(of_shares.get, (False, True))
    )
    both = ", of shares ".join(filter(None, (amounts, shares)))
    return f"a change of up to {both} does not matter"


def _alone(arms: Sequence[tuple[Place, str]], *, everything: bool) -> Iterable[str]:
    stacks: dict[Place, list[str]] = {}
    for place, stack in arms:
        stacks.setdefault(place, []).append(stack)
    lines = [f"{', '.join(names)} at {place.label}" for place, names in stacks.items()]
    most = len(lines) if everything else _MOST_ALONE
    yield from lines[:most]
    if len(lines) > most:
        yield f"stacks at {len(lines) - most} more points; --all names them"


def _completion(change: CompletionChange) -> str:
    return f"{change.pair.stack} at {change.pair.where}: {change.base}; now {change.new}"


def _in_order(changes: Sequence[Change], *, everything: bool) -> list[Change]:
    """Sort by verdict, worse first, the largest change of a verdict first."""
    order = list(EffectVerdict)
    wanted = [change for change in changes if everything or change.effect.verdict in _CHANGED]
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
        change.pair.stack,
        change.pair.where,
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

"""The number of device crashes by stack, and their times in one run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop.answer.completed_runs import completed_runs
from lasthop.answer.quantities import format_quantity
from lasthop.answer.sentences import Sentence, Span

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_REASONS = {
    "device_crashes_heap": "for want of memory",
    "device_crashes_watchdog": "by the watchdog",
}
_COLUMNS = (*_REASONS, "device_offline_s", "stack", "run_id", "status")
_EVENT = re.compile(
    r"(?P<who>device|server) of host (?P<host>\d+) crashes at (?P<at>[\d.e-]+) s: (?P<why>\w+)"
    r"(?:, boots by (?P<booted>[\d.e-]+) s)?"
)


@dataclass(frozen=True, slots=True)
class Crash:
    """A crash of one run.

    Parameters
    ----------
    who
        ``device`` or ``server``.
    at_s, booted_s
        In the time of the run; it was there again by the second, if ever.
    """

    who: str
    host: int
    at_s: float
    booted_s: float | None
    reason: str


def crashes_of(events: str | None) -> list[Crash]:
    """Read the column ``device_events``, which has each crash in words.

    Examples
    --------
    >>> crashes_of("device of host 2 crashes at 31.5 s: watchdog, boots by 36.5 s")
    [Crash(who='device', host=2, at_s=31.5, booted_s=36.5, reason='watchdog')]
    """
    return [
        Crash(
            who=found["who"],
            host=int(found["host"]),
            at_s=float(found["at"]),
            booted_s=None if found["booted"] is None else float(found["booted"]),
            reason=found["why"],
        )
        for found in _EVENT.finditer(events or "")
    ]


def crashes(folders: Iterable[Path]) -> Iterable[str]:
    """Name the stacks with which a device crashed: how often, why, and for how long it was off."""
    for row in _by_stack(folders):
        why = " and ".join(words for name, words in _REASONS.items() if row[name])
        yield (
            f"devices of {row['stack']} crashed in {row['crashed']} of {row['runs']} runs, "
            f"{_times(row['most'])} in a run, {why}, and were off for up to "
            f"{format_quantity(row['off'], 's')}; device_events has each"
        )


def crashes_in_a_line(folders: Iterable[Path]) -> tuple[Sentence, ...]:
    """Describe in one line which stacks crashed devices, and how often; empty if none."""
    spans = [
        span
        for row in _by_stack(folders)
        for span in (Span(", "), Span(row["stack"], "stack"), Span(f" {_times(row['most'])}"))
    ]
    if not spans:
        return ()
    return (Sentence((Span("Devices crashed in a run: "), *spans[1:], Span("."))),)


def _times(most: int) -> str:
    return "once" if most == 1 else f"up to {most} times"


def _by_stack(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """Give the stacks with which a device crashed, and how often."""
    tables = [
        table
        for folder in folders
        if (table := completed_runs(folder, _COLUMNS, having="device_offline_s")) is not None
    ]
    if not tables:
        return []
    total = pl.sum_horizontal(*_REASONS)
    return (
        pl.concat(tables)
        .group_by("stack", maintain_order=True)
        .agg(
            pl.col(*_REASONS).sum(),
            runs=pl.len(),
            crashed=(total > 0).sum(),
            most=total.max(),
            off=pl.col("device_offline_s").max(),
        )
        .filter(pl.col("crashed") > 0)
        .to_dicts()
    )

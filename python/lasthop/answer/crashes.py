"""How often devices crashed, by stack; when they did in one run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from lasthop.answer.quantities import format_quantity

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
    tables = [table for folder in folders if (table := _runs(folder)) is not None]
    if not tables:
        return
    total = pl.sum_horizontal(*_REASONS)
    stacks = (
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
    )
    for row in stacks.iter_rows(named=True):
        why = " and ".join(words for name, words in _REASONS.items() if row[name])
        times = "once" if row["most"] == 1 else f"up to {row['most']} times"
        yield (
            f"devices of {row['stack']} crashed in {row['crashed']} of {row['runs']} runs, {times} "
            f"in a run, {why}, and were off for up to {format_quantity(row['off'], 's')}; "
            "device_events has each"
        )


def _runs(folder: Path) -> pl.DataFrame | None:
    """Give the completed runs with a device that has little of everything."""
    file = folder / "runs.parquet"
    if not file.exists():
        return None
    table = pl.scan_parquet(file)
    if not set(_COLUMNS) <= set(table.collect_schema().names()):
        return None
    return (
        table.select(_COLUMNS)
        .filter(pl.col("status") == "completed", pl.col("device_offline_s").is_not_null())
        .unique("run_id", maintain_order=True)
        .collect()
    )

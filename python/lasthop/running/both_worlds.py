"""Runs a study simulated and on real software until every metric is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.answer.undecided import Undecided
from lasthop.running.run import carry_out
from lasthop.running.until_decided import Round, held_plan
from lasthop.statistics.looks import planned_looks
from lasthop.statistics.planning import FIRST_LOOK, runs_needed
from lasthop.twin import Twin, TwinRow, TwinVerdict, World
from lasthop.twin.words import with_interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lasthop.adapters import Bindings
    from lasthop.outcome.results import Results
    from lasthop.running.captured_hosts import CapturedHosts
    from lasthop.running.plan import Plan
    from lasthop.running.progress import Progress

WORLDS = ("virtual", "live")
"""The two engines of a twin. Each has a result folder."""

DEFAULT_AT_MOST = 20
"""Default of the maximum number of repetitions of a twin."""


@dataclass(frozen=True, slots=True)
class BothWorlds:
    """Results and rounds of a twin.

    Attributes
    ----------
    virtual, live
        The results of each world.
    rounds
        All rounds in order. The last one leaves nothing undecided or reaches the maximum.
    """

    twin: Twin
    virtual: Results
    live: Results
    rounds: tuple[Round, ...]


def carry_out_both(  # noqa: PLR0913  (each is a keyword and most have a default)
    plan_of: Callable[[str, int], Plan],
    *,
    repeat: int,
    at_most: int,
    out: Path,
    jobs: int | None = None,
    capture: CapturedHosts | None = None,
    progress: Progress | None = None,
    bindings: Bindings | None = None,
    round_ended: Callable[[Round], None] = lambda _: None,
) -> BothWorlds:
    """Run a study in both worlds, and repeat until each metric is inside or outside.

    As with `lasthop.running.until_decided`, rounds are fixed beforehand and share the error; what
    a folder holds already is not done again.

    Parameters
    ----------
    plan_of
        Returns the plan of a world for a number of repetitions.
    repeat, at_most
        The repetitions of the first and of the last round.
    out
        The folder of both result folders.
    jobs, capture, progress, bindings
        As for a single campaign.
    round_ended
        Called after each round.
    """
    looks = planned_looks(repeat, at_most)
    rounds: list[Round] = []

    def campaign(world: str, repetitions: int) -> Results:
        folder = out / world

        def of_world(number: int) -> Plan:
            return plan_of(world, number)

        held = held_plan(folder, of_world, repetitions)
        has_more = held is not None and held.study.repeat > repetitions
        return carry_out(
            held if held is not None and has_more else of_world(repetitions),
            out=folder,
            jobs=jobs,
            capture=capture,
            progress=progress,
            bindings=bindings,
            extends=None if held is None or has_more else held.identity,
            looks=len(looks),
        ).results

    while True:
        larger = [look for look in looks if not rounds or look > rounds[-1].repetitions]
        virtual, live = (campaign(world, larger[0]) for world in WORLDS)
        twin = Twin.of(*(World(it.manifest.study, it.runs, it.ledger) for it in (virtual, live)))
        done = max(larger[0], live.manifest.study["repeat"])
        rounds.append(Round(repetitions=done, undecided=tuple(map(_open, undecided(twin)))))
        round_ended(rounds[-1])
        if not rounds[-1].undecided or done >= at_most:
            return BothWorlds(twin, virtual, live, tuple(rounds))


def undecided(twin: Twin) -> list[TwinRow]:
    """Return the metrics whose verdict is undecided."""
    return [row for row in twin.rows if row.verdict is TwinVerdict.UNDECIDED]


def _open(row: TwinRow) -> Undecided:
    found = row.difference
    width = row.shortage
    needed = runs_needed(found, half_width=width) if found.repetitions > 1 and width > 0 else None
    return Undecided(
        name=f"{row.stack} ({row.place}): {row.metric}",
        interval=found,
        unit=row.unit,
        words=f"live less virtual {with_interval(found, row.unit)}",
        repetitions=FIRST_LOOK if found.repetitions == 1 else needed,
    )

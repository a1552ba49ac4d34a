"""Two folders of one study, simulated and live, held against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from lasthop.answer.arms import AnswerArm, arms_of, stack_names
from lasthop.compare.place import places
from lasthop.statistics.looks import confidence_at_a_look
from lasthop.twin.case import Case

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import polars as pl

    from lasthop.twin.gap import GapRow
    from lasthop.twin.row import TwinRow
    from lasthop.twin.verdict import TwinVerdict

UNSUPPORTED = "unsupported"
"""The status of a run that nothing here can do."""


@dataclass(frozen=True, slots=True)
class World:
    """Results of one world.

    Parameters
    ----------
    study
        As the manifest holds it.
    runs, ledger
        The tables.
    """

    study: Mapping[str, Any]
    runs: pl.DataFrame
    ledger: pl.DataFrame


@dataclass(frozen=True, slots=True)
class TwinGap:
    """The bytes of a stack at a place by layer and cause, in both worlds."""

    place: str
    stack: str
    rows: tuple[GapRow, ...]

    @property
    def gap_bytes(self) -> float:
        """The additional bytes of the live runs, mean of runs."""
        return math.fsum(row.gap_bytes for row in self.rows)


@dataclass(frozen=True, slots=True)
class Missing:
    """A stack at a place without a valid run in one of the worlds.

    Parameters
    ----------
    status
        Of its runs: ``unsupported`` where there is nothing to be run.
    """

    place: str
    stack: str
    status: str
    reason: str

    @classmethod
    def of(cls, place: str, virtual: AnswerArm, live: AnswerArm) -> Self | None:
        """Describe what is missing, or give None."""
        for name, arm in (("virtual", virtual), ("live", live)):
            if not arm.completed.is_empty():
                continue
            if not arm.troubles:
                return cls(place, live.stack, "missing", f"{name}: no run")
            trouble = arm.troubles[0]
            where = "" if trouble.status == UNSUPPORTED else f"{name}: "
            return cls(place, live.stack, trouble.status, where + trouble.reason)
        return None


@dataclass(frozen=True, slots=True)
class Twin:
    """Two folders of one study, held against each other."""

    rows: tuple[TwinRow, ...]
    gaps: tuple[TwinGap, ...]
    missing: tuple[Missing, ...]

    @classmethod
    def of(cls, virtual: World, live: World) -> Self:
        """Hold the runs of one study in both worlds against each other.

        Each of several looks at them (`lasthop.statistics.looks`) has its share of the error.
        """
        confidence = confidence_at_a_look(live.study.get("looks", 1))
        ledgers = (virtual.ledger, live.ledger)
        names = stack_names(live.study)
        of_virtual, of_live = (places(it.runs, it.study) for it in (virtual, live))
        rows: list[TwinRow] = []
        gaps: list[TwinGap] = []
        missing: list[Missing] = []
        for place, runs in of_live.items():
            simulated = of_virtual.get(place, runs.clear())
            pairs = zip(arms_of(simulated, names), arms_of(runs, names), strict=True)
            for before, after in pairs:
                if (lack := Missing.of(place.label, before, after)) is not None:
                    missing.append(lack)
                    continue
                case = Case(place, before, after, ledgers, confidence)
                rows += case.rows()
                gaps.append(TwinGap(place.label, after.stack, tuple(case.gap())))
        return cls(tuple(rows), tuple(gaps), tuple(missing))

    def count(self, verdict: TwinVerdict) -> int:
        """Count the metrics with a verdict."""
        return sum(row.verdict is verdict for row in self.rows)

"""Compares the simulated and the live results of one study."""

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
"""Status of a run that this build or machine does not support."""


@dataclass(frozen=True, slots=True)
class World:
    """The results of one world.

    Parameters
    ----------
    study
        The study in the manifest.
    runs, ledger
        The tables of these names.
    """

    study: Mapping[str, Any]
    runs: pl.DataFrame
    ledger: pl.DataFrame


@dataclass(frozen=True, slots=True)
class TwinGap:
    """Bytes of a stack at a place by layer and cause, in both worlds."""

    place: str
    stack: str
    rows: tuple[GapRow, ...]

    @property
    def gap_bytes(self) -> float:
        """Return the additional bytes of the live runs, as a mean over runs."""
        return math.fsum(row.gap_bytes for row in self.rows)


@dataclass(frozen=True, slots=True)
class Missing:
    """A stack at a place without a valid run in one of the worlds.

    Parameters
    ----------
    status
        Status of its runs: ``unsupported`` if nothing can be run.
    """

    place: str
    stack: str
    status: str
    reason: str

    @classmethod
    def of(cls, place: str, virtual: AnswerArm, live: AnswerArm) -> Self | None:
        """Return a description of missing runs, or None."""
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
    """Comparison of a study's simulated and live results."""

    rows: tuple[TwinRow, ...]
    gaps: tuple[TwinGap, ...]
    missing: tuple[Missing, ...]

    @classmethod
    def of(cls, virtual: World, live: World) -> Self:
        """Compare the runs of one study in both worlds.

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
        """Return the number of metrics with a verdict."""
        return sum(row.verdict is verdict for row in self.rows)

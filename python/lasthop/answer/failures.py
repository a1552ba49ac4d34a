"""Messages that did not arrive: how many, and why, as far as a network tells it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from lasthop.answer.arms import Arm, arms_of

FATE = ("messages_offered", "messages_delivered", "failure_reasons")
"""The measured columns that say what became of the messages."""


@dataclass(frozen=True, slots=True)
class Failures:
    """What became of the messages of an arm, over its completed runs.

    Attributes
    ----------
    offered, delivered
        Measured messages.
    reasons
        How many failed for which reason, the most frequent first; empty where nobody tells.
    """

    offered: int
    delivered: int
    reasons: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, arm: Arm) -> "Failures":
        """Add up the runs of an arm."""
        runs = arm.completed
        counted: Counter[str] = Counter()
        told = runs["failure_reasons"].drop_nulls() if "failure_reasons" in runs.columns else ()
        for line in told:
            for entry in line.split(", "):
                reason, _, count = entry.rpartition(": ")
                counted[reason] += int(count)
        return cls(
            offered=int(runs["messages_offered"].sum()),
            delivered=int(runs["messages_delivered"].sum()),
            reasons=tuple(sorted(counted.items(), key=lambda found: (-found[1], found[0]))),
        )

    @property
    def failed(self) -> int:
        """How many failed, for any reason."""
        return sum(count for _, count in self.reasons)

    @property
    def words(self) -> str:
        """The reasons as a person writes them."""
        return ", ".join(f"{reason} {count}" for reason, count in self.reasons)


def nothing_arrived(runs: pl.DataFrame, stacks: Sequence[str]) -> Iterable[str]:
    """Say of which stacks nothing was to be sent, or nothing arrived, in all their runs."""
    for arm in arms_of(runs.unique("run_id", maintain_order=True), stacks):
        if arm.completed.is_empty():
            continue
        found = Failures.of(arm)
        if not found.offered:
            yield f"{arm.stack}: no message was due"
        elif not found.delivered:
            why = f": {found.words}" if found.reasons else ""
            yield f"{arm.stack}: none of {found.offered} messages arrived{why}"

"""Messages that did not arrive: how many, and why, as far as a network tells it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from lasthop.answer.arms import Arm, arms_of
from lasthop.answer.points import points_of
from lasthop.answer.quantities import NOTHING
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Styles, fold, stack_name, table
from lasthop.report.section import Section, counted
from lasthop.report.source import ReportSource

FATE = ("messages_offered", "messages_delivered", "failure_reasons")
"""The measured columns that say what became of the messages."""

_MOST_ROWS = 200


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


def failures_section(source: ReportSource, styles: Styles) -> Section | None:
    """Write a table for each part in which a network tells why messages failed."""
    tables = []
    failed = 0
    for part in source.study.get("parts") or ():
        found = [
            (point, arm.stack, failures)
            for point in points_of(source.runs, part)
            for arm in arms_of(point.rows, source.stacks)
            if not arm.completed.is_empty() and (failures := Failures.of(arm)).reasons
        ][:_MOST_ROWS]
        rows = [
            [
                point.label or NOTHING,
                stack_name(stack, styles),
                failures.offered,
                failures.failed,
                failures.words,
            ]
            for point, stack, failures in found
        ]
        failed += sum(failures.failed for _, _, failures in found)
        if rows:
            name = sentence_case(part["name"].replace("_", " "))
            head = ["Point", "Stack", "Offered", "Failed", "Why"]
            body = table(head, rows, numeric=(2, 3), wide=(4,))
            tables.append(fold(f"{name}: messages that failed", body, opened=True))
    if not tables:
        return None
    digest = counted(failed, "message")
    return Section("failures", "Messages that failed", digest, Markup().join(tables))

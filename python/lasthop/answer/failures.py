"""Messages that did not arrive: how many, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lasthop.answer.arms import arms_of
from lasthop.answer.decision import Decision
from lasthop.answer.expectation import Expectation, ExpectationVerdict
from lasthop.answer.failure_words import (
    REMEDIES,
    WHY_MESSAGES_FAIL,
    WHY_PACKETS_ARE_DROPPED,
    in_words,
)
from lasthop.study.expressions import Expression, parse_expression

FATE = (
    "messages_offered",
    "messages_delivered",
    "messages_unfinished",
    "messages_unsent",
    "failure_reasons",
)
"""The measured columns that say what became of the messages."""

ARRIVALS = frozenset(
    {
        "delivery_ratio",
        "loss_ratio",
        "messages_delivered",
        "messages_failed",
        "messages_unfinished",
        "messages_unsent",
        "availability_20s",
        "not_served_20s",
        "in_time_ratio",
    }
)
"""Measures of delivery. A failed requirement of one of these is explained by its causes."""

_FEW = 0.01
"""Who misses a larger share is asked why, whatever the study asks."""

_NO_SESSION = "session_not_set_up"
"""Why a run failed."""

_WORDS = {**WHY_PACKETS_ARE_DROPPED, **WHY_MESSAGES_FAIL}


@dataclass(frozen=True, slots=True)
class Failures:
    """The fates of an arm's messages over its completed runs.

    Attributes
    ----------
    offered, delivered
        Measured messages.
    reasons
        How many did not arrive for which reason, the most frequent first: those that failed, and
        those that were not sent or under way when the run ended.
    """

    offered: int
    delivered: int
    reasons: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, runs: pl.DataFrame) -> "Failures":
        """Add up runs."""
        counted: Counter[str] = Counter()
        told = runs["failure_reasons"].drop_nulls() if "failure_reasons" in runs.columns else ()
        for line in told:
            for entry in line.split(", "):
                reason, _, count = entry.rpartition(": ")
                counted[reason] += int(count)
        unsent = _sum(runs, "messages_unsent")
        counted["not_sent"] += unsent
        counted["under_way"] += _sum(runs, "messages_unfinished") - unsent
        return cls(
            offered=_sum(runs, "messages_offered"),
            delivered=_sum(runs, "messages_delivered"),
            reasons=_most_first(counted),
        )

    @property
    def missing(self) -> int:
        """The number of messages that were not delivered, for any reason."""
        return self.offered - self.delivered

    @property
    def words(self) -> str:
        """The reasons in words."""
        return in_words(self.reasons, _WORDS)

    @property
    def are_all_of_drops(self) -> bool:
        """Whether each has the reason why its last packet was dropped."""
        return all(reason in WHY_PACKETS_ARE_DROPPED for reason, _ in self.reasons)


def undelivered(
    runs: pl.DataFrame,
    stacks: Sequence[str],
    decision: Decision,
    expectations: Iterable[Expectation],
    folders: Sequence[Path],
) -> Iterable[str]:
    """Describe undelivered messages of each stack that delivers less than required.

    Where a study asks nothing of arrivals, less than 99 % of messages is said, too.

    Parameters
    ----------
    runs
        With the columns of `FATE`.
    folders
        Where the table of packets lies.
    """
    expectations = tuple(expectations)
    short = _short_of_what_is_asked(decision, expectations)
    asked = [*decision.requirements, *(one.text for one in expectations)]
    is_asked = any(map(_is_about_arrivals, asked))
    once = runs.unique("run_id", maintain_order=True)
    for arm in arms_of(once, stacks):
        unconnected = once.filter(stack=arm.stack, status="failed", reason=_NO_SESSION)
        if not unconnected.is_empty():
            of = f"{unconnected.height} of {once.filter(stack=arm.stack).height} runs"
            drops = _drops(unconnected, folders)
            yield f"{arm.stack}: no session came about within measure.set_up in {of}{drops}"
        runs = arm.completed
        if runs.is_empty():
            continue
        found = Failures.of(runs)
        if not found.offered:
            yield f"{arm.stack}: no message was due"
        elif not found.delivered:
            yield f"{arm.stack}: none of {found.offered} messages arrived{_why(runs, folders)}"
        elif arm.stack in short or (not is_asked and found.missing > _FEW * found.offered):
            if wanted := short.get(arm.stack):
                runs = runs.filter(pl.col("run_id").is_in(wanted))
                found = Failures.of(runs)
            if not found.missing:
                continue  # All arrived, some of them late.
            missing = f"{found.missing} of {found.offered} messages did not arrive"
            yield f"{arm.stack}: {missing}{_why(runs, folders)}"


def _why(runs: pl.DataFrame, folders: Sequence[Path]) -> str:
    found = Failures.of(runs)
    said = f": {found.words}" if found.reasons else ""
    return said if found.are_all_of_drops else f"{said}{_drops(runs, folders)}"


def _drops(runs: pl.DataFrame, folders: Sequence[Path]) -> str:
    dropped = _dropped(runs["run_id"], folders)
    if not dropped:
        return ""
    to_devices = dict(_dropped(runs["run_id"], folders, direction="down"))
    packets = sum(count for _, count in dropped)
    many = "1 packet" if packets == 1 else f"{packets} packets"
    why = in_words(dropped, WHY_PACKETS_ARE_DROPPED)
    remedies = "".join(f"; {REMEDIES[reason]}" for reason in REMEDIES if reason in to_devices)
    return f"; the path dropped {many}: {why}{remedies}"


def _dropped(
    runs: pl.Series, folders: Sequence[Path], *, direction: str | None = None
) -> tuple[tuple[str, int], ...]:
    counted: Counter[str] = Counter()
    way = {} if direction is None else {"direction": direction}
    for folder in folders:
        if (folder / "packets.parquet").exists():
            found = (
                pl.scan_parquet(folder / "packets.parquet")
                .filter(pl.col("run_id").is_in(runs.implode()), fate="dropped", **way)
                .group_by("reason")
                .agg(pl.col("packets").sum())
                .collect()
            )
            counted.update(dict(found.iter_rows()))
    return _most_first(counted)


def _short_of_what_is_asked(
    decision: Decision, expectations: Iterable[Expectation]
) -> dict[str, list[str]]:
    """Name the stacks that fail for want of arrivals, with their runs at such points.

    All runs of a stack that an expectation names.
    """
    short: dict[str, list[str]] = {}
    for point in decision.points:
        runs = point.point.rows
        for stack, judged in point.judged.items():
            missed = (one.requirement for one in judged if not one.observed)
            if any(map(_is_about_arrivals, missed)):
                of_stack = runs.filter(pl.col("stack") == stack)["run_id"]
                short.setdefault(stack, []).extend(of_stack)
    for expectation in expectations:
        failed = expectation.verdict is ExpectationVerdict.FAILED and expectation.worst is not None
        if failed and _is_about_arrivals(expectation.text):
            short[(expectation.worst or {})["stack"]] = []
    return short


def _is_about_arrivals(text: str) -> bool:
    expression: Expression = parse_expression(text)
    return bool(ARRIVALS & set(expression.comparison.columns))


def _sum(runs: pl.DataFrame, column: str) -> int:
    return int(runs[column].sum()) if column in runs.columns else 0


def _most_first(counted: Counter[str]) -> tuple[tuple[str, int], ...]:
    there = ((reason, count) for reason, count in counted.items() if count > 0)
    return tuple(sorted(there, key=lambda found: (-found[1], found[0])))

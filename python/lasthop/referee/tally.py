"""Counts the findings by part and stack, and describes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lasthop.referee.case import Case
from lasthop.referee.identity import ArmsOfPart, IdenticalArms
from lasthop.referee.row import RunRow
from lasthop.referee.ruling import Finding


@dataclass
class _Counts:
    runs: int = 0
    overloaded: int = 0
    share: float = 0.0
    repeated: int = 0
    example: list[RunRow] = field(default_factory=list)


class Tally:
    """Counts the problems in the runs of each arm in each part.

    Parameters
    ----------
    study
        The study in the manifest.

    Attributes
    ----------
    overload_allowed
        Whether the study accepts overload as a result.
    """

    def __init__(self, study: Mapping[str, Any]) -> None:
        self.overload_allowed = study.get("overload") == "allow"
        self._is_multiverse = bool(study.get("multiverse"))
        self._parts = [part["name"] for part in study["parts"]]
        self._stacks = [stack["name"] for stack in study["stacks"]]
        self._counts: dict[tuple[str, str], _Counts] = {}

    def count(self, case: Case) -> None:
        """Add a case to the counts."""
        counts = self._counts.setdefault((case.part, case.stack), _Counts())
        counts.runs += len(case.runs)
        if case.load.is_too_much:
            counts.overloaded += len(case.completed)
            counts.share = max(counts.share, case.load.uncarried)
        for group in case.repeated:
            counts.repeated += len(group)
            counts.example = counts.example or group

    def findings(self) -> tuple[Finding, ...]:
        """Return the counts as findings, in the order of the study."""
        ordered = sorted(self._counts, key=self._place)
        return tuple(
            finding
            for key in ordered
            for finding in (self._overload(*key), self._repeated(*key))
            if finding is not None
        )

    def identical(self, parts: Mapping[str, ArmsOfPart]) -> list[Finding]:
        """Return findings on identical arms, in the whole study or in one part."""
        return [
            self._same(part, group, everywhere=all(it.joins(group.stacks) for it in parts.values()))
            for part in sorted(parts, key=self._parts.index)
            for group in sorted(
                parts[part].identical(), key=lambda it: self._stacks.index(it.stacks[0])
            )
        ]

    def _same(self, part: str, group: IdenticalArms, *, everywhere: bool) -> Finding:
        so = "so they are one arm" if everywhere else "so this part does not tell them apart"
        return Finding(
            check="identical_arms",
            # That a choice makes no difference is what a multiverse is to find out.
            invalid=everywhere and not self._is_multiverse,
            part=part,
            stacks=tuple(sorted(group.stacks, key=self._stacks.index)),
            figure=f"{group.runs} of {group.runs} traces equal",
            what=f"every packet is the same in {group.runs} repetitions at {group.points} "
            f"point{'' if group.points == 1 else 's'}, {so}",
        )

    def _place(self, key: tuple[str, str]) -> tuple[int, int]:
        part, stack = key
        return self._parts.index(part), self._stacks.index(stack)

    def _overload(self, part: str, stack: str) -> Finding | None:
        counts = self._counts[part, stack]
        if not counts.overloaded:
            return None
        share = f"{100 * counts.share:.0f} %"
        allowed = self.overload_allowed
        remedy = "" if allowed else '; "measure: {overload: allow}" in the study allows it'
        return Finding(
            check="overload",
            invalid=not allowed,
            part=part,
            stacks=(stack,),
            figure=f"uncarried_ratio {share}",
            what=f"the queue never settles: at the worst point {share} of what is offered has not "
            f"got through while it is sent; {counts.overloaded} of {counts.runs} runs are "
            f"overloaded{remedy}",
        )

    def _repeated(self, part: str, stack: str) -> Finding | None:
        counts = self._counts[part, stack]
        if not counts.repeated:
            return None
        numbers = sorted(run.repetition for run in counts.example)
        named = ", ".join(map(str, numbers))
        return Finding(
            check="repeated_run",
            invalid=True,
            part=part,
            stacks=(stack,),
            figure=f"trace_hash {counts.example[0].trace_hash} in repetitions {named}",
            what=f"{counts.repeated} of {counts.runs} runs are repetitions with other seeds and "
            f"the same packets, as repetitions {named} of run {counts.example[0].run_id}",
        )

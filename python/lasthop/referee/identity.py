"""Finds arms that send the same packets at the same times, whatever their settings."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

Traces = tuple[tuple[int, str], ...]
"""The trace hash of each repetition."""


@dataclass(frozen=True, slots=True)
class ArmAtPoint:
    """The traces of one arm at one point.

    Attributes
    ----------
    traces
        Traces of the repetitions.
    chance_acted
        Whether random effects would make its runs differ.
    """

    traces: Traces
    chance_acted: bool


@dataclass(frozen=True, slots=True)
class IdenticalArms:
    """Arms that behave identically in every case of a part."""

    stacks: tuple[str, ...]
    points: int
    runs: int


@dataclass
class _Group:
    stacks: list[str]
    points: int = 0
    runs: int = 0
    chance_acted: bool = False


@dataclass
class ArmsOfPart:
    """Groups the arms of a part that are identical at every point so far."""

    _groups: list[_Group] = field(default_factory=list)
    _apart: set[str] = field(default_factory=set)

    def add(self, point: Mapping[str, ArmAtPoint]) -> None:
        """Compare the arms at one more point, and split the groups that differ."""
        known = {stack for group in self._groups for stack in group.stacks} | self._apart
        late = [stack for stack in point if stack not in known]
        if not known:
            self._groups.append(_Group(late))
        else:
            self._apart.update(late)  # it was not there to be compared
        self._groups = [part for group in self._groups for part in self._divided(group, point)]

    def identical(self) -> list[IdenticalArms]:
        """Return the arms with equal traces at every point, if random effects occurred."""
        return [
            IdenticalArms(tuple(group.stacks), group.points, group.runs)
            for group in self._groups
            if group.chance_acted
        ]

    def joins(self, stacks: Collection[str]) -> bool:
        """Return whether these arms had equal traces at every point."""
        return any(set(stacks) <= set(group.stacks) for group in self._groups)

    def _divided(self, group: _Group, point: Mapping[str, ArmAtPoint]) -> list[_Group]:
        found: dict[Traces, list[str]] = {}
        for stack in group.stacks:
            arm = point.get(stack)
            if arm is not None and arm.traces:
                found.setdefault(arm.traces, []).append(stack)
        parts = [
            _Group(
                stacks,
                group.points + 1,
                group.runs + len(traces),
                group.chance_acted or any(point[stack].chance_acted for stack in stacks),
            )
            for traces, stacks in found.items()
            if len(stacks) > 1
        ]
        together = {stack for part in parts for stack in part.stacks}
        self._apart.update(stack for stack in group.stacks if stack not in together)
        return parts

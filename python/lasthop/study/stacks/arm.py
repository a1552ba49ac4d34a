"""An arm of a study: the stack of each group in a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.study.stacks.notation import ResolvedStack


@dataclass(frozen=True, slots=True)
class StudyArm:
    """An arm of a comparison.

    Parameters
    ----------
    name
        Name from the study, or else the notation.
    compared
        Stacks that differ between arms, by group.
    stacks
        The stack of every group.
    """

    name: str
    compared: Mapping[str, ResolvedStack]
    stacks: Mapping[str, ResolvedStack]

    @classmethod
    def of(cls, stack: ResolvedStack, groups: Iterable[str]) -> Self:
        """Return the arm in which all groups use the same stack."""
        groups = list(groups)
        return cls(stack.name, {groups[0]: stack}, dict.fromkeys(groups, stack))

    @property
    def written(self) -> str:
        """Return the notation of the arm, with alternatives chosen."""
        return self._of_compared([stack.written for stack in self.compared.values()])

    @property
    def resolved(self) -> str:
        """Return the stack with all layers and defaults."""
        return self._of_compared([stack.resolved for stack in self.compared.values()])

    @property
    def applications(self) -> frozenset[str]:
        """Return the compared application protocols."""
        return frozenset(stack.application for stack in self.compared.values())

    @property
    def reason(self) -> str | None:
        """Return why the arm cannot be run; None if it can."""
        return next((stack.reason for stack in self.stacks.values() if stack.reason), None)

    @property
    def supported(self) -> bool:
        """Return whether the arm can be run."""
        return self.reason is None

    @property
    def credentials(self) -> tuple[str, ...]:
        """Return the credentials that both ends present to each other."""
        shown = (kind for stack in self.stacks.values() for kind in stack.credentials)
        return tuple(dict.fromkeys(shown))

    def _of_compared(self, texts: list[str]) -> str:
        if len(texts) == 1:
            return texts[0]
        return "; ".join(
            f"{group}: {text}" for group, text in zip(self.compared, texts, strict=True)
        )

"""Checks that figures show what a study runs: its stacks, its parts, one point at each place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.figures.figure import arm_of
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lasthop.study.figures.figure import PaperArm, PaperAxis, PaperFigure

    Parameters = Mapping[str, float | int | str | None]


@dataclass(frozen=True, slots=True)
class Drawable:
    """What the runs of a study can show.

    Parameters
    ----------
    study
        Its name.
    stacks
        Its stacks.
    parts
        Its parts, and the keys that each of them sweeps.
    points
        The part and the swept values of each point.
    quick
        Whether points may be left out.
    """

    study: str
    stacks: Sequence[str]
    parts: Mapping[str, Sequence[str]]
    points: Sequence[tuple[str, Parameters]]
    quick: bool

    def check(self, figure: PaperFigure) -> None:
        """Check the arms of a figure that are of this study.

        Raises
        ------
        Fault
            With the place below the figure of what the study does not run.
        """
        for arm in figure.arms:
            for column in figure.columns:
                there = arm_of(arm, column)
                if there.study != self.study:
                    continue
                try:
                    self._check_names(there, figure.axis)
                    self._check_points(there, figure.axis)
                except Fault as fault:
                    raise fault.within(("arms", arm.legend)) from None

    def _check_names(self, arm: PaperArm, axis: PaperAxis | None) -> None:
        if arm.stack not in self.stacks:
            raise Fault(
                f"the study has no stack {show(arm.stack)}",
                hint=suggestion(arm.stack, self.stacks, kind="stacks"),
            )
        if arm.part is None and len(self.parts) > 1:
            raise Fault("the arm has no part", hint=f'write "part: {next(iter(self.parts))}"')
        if arm.part is not None and arm.part not in self.parts:
            raise Fault(
                f"the study has no part {show(arm.part)}",
                hint=suggestion(arm.part, list(self.parts), kind="parts"),
            )
        part = self._part(arm)
        swept = self.parts[part]
        keys = [*(place.key for place in arm.at), *([] if axis is None else [axis.place.key])]
        for key in keys:
            if key not in swept:
                raise Fault(
                    f"{key} is not swept in the part {show(part)}",
                    hint=suggestion(key, swept, kind="swept keys")
                    if swept
                    else "add the key to the sweep of that part, or choose another part",
                )

    def _check_points(self, arm: PaperArm, axis: PaperAxis | None) -> None:
        found = [
            parameters
            for part, parameters in self.points
            if part == self._part(arm)
            and all(any(one.holds(parameters) for one in place.comparisons) for place in arm.at)
        ]
        if not found and not self.quick:
            raise Fault(
                "the part has no point with these values",
                hint='write values of its sweep in "at"',
            )
        places = {None if axis is None else _position(parameters, axis) for parameters in found}
        if len(found) > len(places):
            where = "" if axis is None else " at one position of the axis"
            keys = [key for key in self.parts[self._part(arm)] if key not in _fixed(arm, axis)]
            remedy = f'"at: {{{keys[0]}: ...}}"' if keys else '"at" with one value of each key'
            raise Fault(f"the arm fits several points{where}", hint=f"choose one: write {remedy}")

    def _part(self, arm: PaperArm) -> str:
        return next(iter(self.parts)) if arm.part is None else arm.part


def _position(parameters: Parameters, axis: PaperAxis) -> object:
    return next((parameters[name] for name in axis.place.columns if name in parameters), None)


def _fixed(arm: PaperArm, axis: PaperAxis | None) -> set[str]:
    return {place.key for place in arm.at} | ({axis.place.key} if axis else set())

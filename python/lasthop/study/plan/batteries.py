"""How long the batteries of a study last at most, whatever its stacks do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.expressions import Expression
    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.fleet.energy import Energy

YEAR_S = 31_557_600.0
"""The Julian year of astronomy: 365.25 days."""

_YEARS = "battery_years"


@dataclass(slots=True)
class Batteries:
    """Gathers the batteries of the groups over the points of a study."""

    _longest: float | None = None

    def see(self, assembly: Assembly) -> None:
        """Add those of a point."""
        for group in assembly.groups:
            if group.energy is not None and not group.is_gateway:
                self._longest = max(self._longest or 0.0, longest_years(group.energy))

    def check(self, expression: Expression) -> None:
        """Check that a required battery life is possible for a radio that only sleeps.

        Raises
        ------
        Fault
            If no battery of the study lasts as long.
        """
        claim = expression.comparison
        if claim.column != _YEARS or claim.operator not in {">", ">="} or self._longest is None:
            return
        if self._longest < float(claim.value):
            years = f"{self._longest:.1f} years"
            raise Fault(
                f"no stack can meet this: a battery lasts for {years} where the radio only sleeps",
                hint=f'write a limit below {years}, a larger "battery" or a smaller "load"',
            )


def longest_years(energy: Energy) -> float:
    """Give the battery life of a device whose radio never leaves the state that draws the least.

    Examples
    --------
    >>> from lasthop.study.fleet.energy import Energy
    >>> round(longest_years(Energy()), 1)  # 5 Wh at 0.015 mW
    38.0
    """
    asleep = min(energy.radio.watts.values())
    a_year = (asleep + energy.load_w) * YEAR_S + energy.lost_a_year * energy.usable_j
    return energy.usable_j / a_year if a_year > 0 else float("inf")

"""Currents, powers and lifetimes as a study writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from lasthop.study.fields.form import Quantity, quantity_schema
from lasthop.study.fields.quantity import CURRENT, LIFETIME, POWER, RESISTANCE, VOLTAGE, parse
from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from lasthop.study.fields.quantity import Kind


@dataclass(frozen=True, slots=True)
class Draw:
    """What a consumer draws: a power, or a current at a voltage that is known later.

    Parameters
    ----------
    amount
        In W or A.
    written
        As the study has it.
    """

    amount: float
    is_current: bool
    written: str

    def __str__(self) -> str:
        """Give it as it is written."""
        return self.written

    def watts(self, volts: float | None, *, key: str) -> float:
        """Give the power.

        Raises
        ------
        Fault
            If it is a current and the voltage is unknown.
        """
        if not self.is_current:
            return self.amount
        if volts is None:
            raise Fault(
                f"{show(self.written)} is a current, and no voltage is given",
                hint=f'write "{key}: 3.6 V" beside it, or a power, for example "3 mW"',
            )
        return self.amount * volts


@dataclass(frozen=True, slots=True)
class DrawOf(Written):
    """Marks a power or a current.

    Parameters
    ----------
    example
        What errors suggest to write.
    """

    example: str

    def read(self, value: object) -> Draw:
        """Read ``3 uA`` or ``15 uW``."""
        kind = POWER if isinstance(value, str) and value.rstrip().endswith("W") else CURRENT
        amount = parse(value, kind, example=self.example)
        return Draw(float(amount), kind is CURRENT, str(value).strip())

    def described(self) -> dict[str, Any]:
        """Describe both ways to write it."""
        return {"anyOf": [quantity_schema(CURRENT, self.example), quantity_schema(POWER, "3 mW")]}


@dataclass(frozen=True, slots=True)
class Above(Quantity):
    """Marks a quantity above zero, which may be smaller than its base unit."""

    def read(self, value: object) -> float:
        """Read the written quantity in base units."""
        amount = parse(value, self.kind, example=self.example)
        if amount <= 0:
            raise Fault(f"{show(value)} is too small", hint=f'write for example "{self.example}"')
        return float(amount)


def _above(kind: Kind, example: str) -> Above:
    return Above(kind, example)


Volts = Annotated[float, _above(VOLTAGE, "3.6 V")]
Ohms = Annotated[float, _above(RESISTANCE, "5 ohm")]
Amperes = Annotated[float, _above(CURRENT, "200 mA")]
Years = Annotated[float, _above(LIFETIME, "15 years")]

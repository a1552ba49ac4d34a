"""Money amounts with a unit: ``0.03 USD/MB``, ``12 EUR/year``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, nearest, show

if TYPE_CHECKING:
    from collections.abc import Mapping

MB, MIB = Decimal(10**6), Decimal(2**20)
BYTES: Mapping[str, Decimal] = {
    "kB": Decimal(10**3),
    "KiB": Decimal(2**10),
    "MB": MB,
    "MiB": MIB,
    "GB": Decimal(10**9),
    "GiB": Decimal(2**30),
}
"""Units of priced volumes. Operators that mean 1024 write MB, a study writes MiB."""
YEARS: Mapping[str, Decimal] = {
    "year": Decimal(1),
    "month": 1 / Decimal(12),
    "day": 1 / Decimal("365.25"),
}
"""Periods of a fee, in years."""
MINUTES: Mapping[str, Decimal] = {"min": Decimal(1), "million min": Decimal(10**6)}
MESSAGES: Mapping[str, Decimal] = {"message": Decimal(1), "million messages": Decimal(10**6)}
ONCE: Mapping[str, Decimal] = {}
"""Unit of a one-time price: none."""

_MONEY = re.compile(r"([-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?)\s*([A-Za-z]{3})(?:\s*/\s*(.+))?")


@dataclass(frozen=True, slots=True)
class Money:
    """Amount of money for one unit: a byte, a year, a minute or a message.

    Parameters
    ----------
    written
        The amount as written in the study.
    """

    amount: float
    currency: str
    written: str

    def __str__(self) -> str:
        """Return the amount as written in the study."""
        return self.written


@dataclass(frozen=True, slots=True, eq=False)
class MoneyFor(Written):
    """Marks an amount of money for a unit.

    Parameters
    ----------
    units
        Number of base units for each unit name.
    example
        Example value for errors.
    """

    units: Mapping[str, Decimal]
    example: str

    def read(self, value: object) -> Money:
        """Parse an amount, its currency and its unit."""
        found = _MONEY.fullmatch(str(value).strip()) if isinstance(value, str) else None
        if found is None:
            raise Fault(f"{show(value)} is not a price", hint=f'write for example "{self.example}"')
        number, currency, unit = found.groups()
        if currency != currency.upper():
            hint = f'write three capital letters, for example "{self.example}"'
            raise Fault(f"{show(currency)} is not a currency", hint=hint)
        amount = Decimal(number)
        if amount < 0:
            raise Fault(f"{show(value)} is negative", hint=f'write "{self.example}" or 0')
        return Money(float(amount / self._size(value, unit)), currency, str(value).strip())

    def _size(self, value: object, unit: str | None) -> Decimal:
        if not self.units:
            if unit is not None:
                raise Fault(f"{show(value)} is paid once", hint=f'write "{self.example}"')
            return Decimal(1)
        if unit is None or unit not in self.units:
            match = None if unit is None else nearest(unit, self.units)
            what = f"{show(value)} does not say what it is for" if unit is None else show(value)
            if unit is not None:
                what = f"{show(value)}: unknown unit {show(unit)}"
            known = f"one of /{', /'.join(self.units)}"
            hint = f'write "/{match}"' if match else f'write {known}, as in "{self.example}"'
            raise Fault(what, hint=hint)
        return self.units[unit]

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the amount."""
        units = "|".join(self.units)
        ending = rf"\s*/\s*({units})" if units else ""
        return {
            "type": "string",
            "pattern": rf"^\+?[0-9]+(\.[0-9]+)?\s*[A-Z]{{3}}{ending}$",
            "description": "an amount of money with its currency",
            "examples": [self.example],
        }


@dataclass(frozen=True, slots=True)
class VolumePerMonth(Written):
    """Marks a monthly volume, written as ``5 MB/month``."""

    def read(self, value: object) -> float:
        """Parse the volume into bytes."""
        text = str(value).strip() if isinstance(value, str) else ""
        found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)\s*/\s*month", text)
        if found is None or found[2] not in BYTES:
            known = ", ".join(BYTES)
            hint = f'write for example "5 MB/month", in one of {known}'
            raise Fault(f"{show(value)} is not a volume of a month", hint=hint)
        return float(Decimal(found[1]) * BYTES[found[2]])

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the volume."""
        return {
            "type": "string",
            "pattern": rf"^[0-9]+(\.[0-9]+)?\s*({'|'.join(BYTES)})\s*/\s*month$",
            "description": "a volume of each month",
            "examples": ["5 MB/month"],
        }

"""Amounts of money for something: ``0.03 USD/MB``, ``12 EUR/year``."""

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
"""Volumes that have a price; operators that mean 1024 write MB, and a study writes MiB."""
YEARS: Mapping[str, Decimal] = {
    "year": Decimal(1),
    "month": 1 / Decimal(12),
    "day": 1 / Decimal("365.25"),
}
"""Spans that have a fee, in years."""
MINUTES: Mapping[str, Decimal] = {"min": Decimal(1), "million min": Decimal(10**6)}
MESSAGES: Mapping[str, Decimal] = {"message": Decimal(1), "million messages": Decimal(10**6)}
ONCE: Mapping[str, Decimal] = {}
"""For what is paid once, and not for anything."""

_MONEY = re.compile(r"([-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?)\s*([A-Za-z]{3})(?:\s*/\s*(.+))?")


@dataclass(frozen=True, slots=True)
class Money:
    """An amount for one of something: a byte, a year, a minute, a message.

    Parameters
    ----------
    written
        As the study has it.
    """

    amount: float
    currency: str
    written: str

    def __str__(self) -> str:
        """Give it as it is written."""
        return self.written


@dataclass(frozen=True, slots=True, eq=False)
class MoneyFor(Written):
    """Marks an amount of money.

    Parameters
    ----------
    units
        For how many of the base unit each name stands.
    example
        What errors suggest to write.
    """

    units: Mapping[str, Decimal]
    example: str

    def read(self, value: object) -> Money:
        """Read the amount, its currency and what it is for."""
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
        """Describe the text."""
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
    """Marks a volume of each month, written as ``5 MB/month``."""

    def read(self, value: object) -> float:
        """Read the volume in bytes."""
        text = str(value).strip() if isinstance(value, str) else ""
        found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)\s*/\s*month", text)
        if found is None or found[2] not in BYTES:
            known = ", ".join(BYTES)
            hint = f'write for example "5 MB/month", in one of {known}'
            raise Fault(f"{show(value)} is not a volume of a month", hint=hint)
        return float(Decimal(found[1]) * BYTES[found[2]])

    def described(self) -> dict[str, Any]:
        """Describe the text."""
        return {
            "type": "string",
            "pattern": rf"^[0-9]+(\.[0-9]+)?\s*({'|'.join(BYTES)})\s*/\s*month$",
            "description": "a volume of each month",
            "examples": ["5 MB/month"],
        }

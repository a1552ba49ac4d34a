"""Quantities that a claim can use: measured columns and derived ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.measures import COLUMNS, DERIVED, named
from lasthop.study.expressions import quantity_of, unknown_column
from lasthop.study.fields.quantity import TIME, Kind
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.measures import Measure


@dataclass(frozen=True, slots=True)
class Measurand:
    """A quantity that a claim can use.

    Parameters
    ----------
    name
        Name in claims, without unit: ``latency_mean``.
    measure
        What is measured.
    kind
        Kind of its amounts; ``count`` for a plain number.
    """

    name: str
    measure: Measure
    kind: Kind | str

    @property
    def unit(self) -> str:
        """Return the unit of its values."""
        return self.kind.column_unit if self.kind is TIME else self.measure.unit

    @property
    def possible(self) -> tuple[float, float]:
        """Return the smallest and the largest possible value."""
        return self.measure.possible

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of ``runs.parquet`` that the quantity is computed from."""
        made_of = self.measure.made_of
        return (self.measure.name,) if made_of is None else made_of.columns

    @property
    def is_complement(self) -> bool:
        """Return whether the quantity is one minus its columns."""
        made_of = self.measure.made_of
        return made_of is not None and made_of.complement

    def value(self, row: Mapping[str, Any]) -> float:
        """Return the quantity in a run. An empty cell counts as infinite."""
        cells = [row.get(column) for column in self.columns]
        total = self._scale * math.fsum(math.inf if cell is None else cell for cell in cells)
        return 1 - total if self.is_complement else total

    def in_column(self, value: float) -> float:
        """Return the sum of columns that corresponds to a value of the quantity."""
        return (1 - value if self.is_complement else value) / self._scale

    @property
    def _scale(self) -> float:
        if self.kind is not TIME:
            return 1.0
        return float(TIME.units[self.measure.unit] / TIME.column_factor)


def measurands() -> tuple[str, ...]:
    """Return the names of all quantities that a claim can use."""
    return tuple(column.short_name for column in (*COLUMNS, *DERIVED) if column.is_measured)


def measurand(name: str) -> Measurand:
    """Return the quantity of a name.

    Raises
    ------
    Fault
        If it means nothing.

    Examples
    --------
    >>> measurand("loss_ratio").value({"delivery_ratio": 0.75})
    0.25
    """
    found = named(name)
    if found is not None and found.is_measured:
        return Measurand(name, found, quantity_of(found))
    for column in (*COLUMNS, *DERIVED):
        if name == column.name and column.is_measured:
            raise Fault(f"unknown column {show(name)}", hint=f'write "{column.short_name}"')
    raise unknown_column(name, measurands())

"""What a claim may be about: the measured columns, and those that are made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.expressions import MEASURED
from lasthop.study.faults import Fault, show, suggestion
from lasthop.study.quantity import FRACTION, SIZE, TIME, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

_BOTH_WAYS = ("wire_bytes_up_offered", "wire_bytes_down_offered")


@dataclass(frozen=True, slots=True)
class Measurand:
    """A quantity of a run.

    Parameters
    ----------
    name
        As claims write it, without unit: ``latency_mean``.
    column
        The same with its unit: ``latency_mean_ms``.
    kind
        What it measures; ``count`` for a plain number.
    columns
        The columns of ``runs.parquet`` whose sum it is.
    complement
        Whether it is one minus that.
    scale
        What the sum is multiplied by.
    """

    name: str
    column: str
    kind: Kind | str
    columns: tuple[str, ...]
    complement: bool = False
    scale: float = 1.0

    def value(self, row: Mapping[str, Any]) -> float:
        """Give its value in a run; infinite where a cell is empty."""
        cells = [row.get(column) for column in self.columns]
        total = self.scale * math.fsum(math.inf if cell is None else cell for cell in cells)
        return 1 - total if self.complement else total


_MADE = {
    "wire_bytes_offered": Measurand("wire_bytes_offered", "wire_bytes_offered", SIZE, _BOTH_WAYS),
    "loss_ratio": Measurand(
        "loss_ratio", "loss_ratio", FRACTION, ("delivery_ratio",), complement=True
    ),
    "not_served_20s": Measurand(
        "not_served_20s", "not_served_ratio", FRACTION, ("availability_20s",), complement=True
    ),
    "simulated": Measurand("simulated", "simulated_ms", TIME, ("simulated_s",), scale=1000.0),
}


def measurands() -> tuple[str, ...]:
    """Name everything that a claim may be about."""
    return tuple(dict.fromkeys((*MEASURED, *_MADE)))


def measurand(name: str) -> Measurand:
    """Find what a name means.

    Raises
    ------
    Fault
        If it means nothing.

    Examples
    --------
    >>> measurand("loss_ratio").value({"delivery_ratio": 0.75})
    0.25
    """
    if name in _MADE:
        return _MADE[name]
    if name in MEASURED:
        column, kind = MEASURED[name]
        return Measurand(name, column, kind, (column,))
    for full, (column, _) in MEASURED.items():
        if name == column:
            raise Fault(f"unknown column {show(name)}", hint=f'write "{full}"')
    hint = suggestion(name, measurands(), kind="columns")
    raise Fault(f"unknown column {show(name)}", hint=hint)

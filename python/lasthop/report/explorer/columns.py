"""Measures as the page lets a reader require something of them."""

import math
from typing import Any

from lasthop.measures import Kind as MeasureKind
from lasthop.measures import Measure
from lasthop.study.expressions import COUNT, TEXT, quantity_of
from lasthop.study.fields.quantity import Kind

_UNITS = {
    "fraction": (("%", 0.01),),
    "ms": (("ms", 1.0), ("s", 1e3), ("min", 60e3)),
    "s": (("s", 1.0), ("min", 60.0), ("h", 3600.0)),
    "B": (("B", 1.0), ("kB", 1e3), ("MB", 1e6)),
    "bit/s": (("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6)),
    "J": (("mJ", 1e-3), ("J", 1.0)),
    "dB": (("dB", 1.0),),
}
"""Units that a bound can be written in, each with its size in the unit of the column."""


def editable(column: Measure) -> bool:
    """Tell whether a bound on a measure can be written on the page."""
    return column.is_measured and quantity_of(column) != TEXT


def column_json(column: Measure) -> dict[str, Any]:
    """Write a measure for the page."""
    least, most = column.possible
    quantity = quantity_of(column)
    counts = quantity == COUNT
    return {
        "called": f"{column.label} ({column.unit})" if _tells_unit(column) else column.label,
        "infinite": column.is_infinite_when_missing,
        "label": column.label,
        "least": least if math.isfinite(least) else None,
        "most": most if math.isfinite(most) else None,
        "name": column.short_name,
        "whole": isinstance(quantity, Kind) and quantity.whole and quantity.column_factor == 1,
        "units": [["", 1.0]] if counts else [list(unit) for unit in _units(column)],
    }


def _units(column: Measure) -> tuple[tuple[str, float], ...]:
    return _UNITS.get(column.unit, ((column.unit, 1.0),))


def _tells_unit(column: Measure) -> bool:
    """Tell whether the unit is written nowhere else: bounds of some measures are bare numbers."""
    counts = quantity_of(column) == COUNT
    return counts and column.kind is not MeasureKind.COUNT and bool(column.unit)

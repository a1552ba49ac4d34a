"""The axes of a figure along a sweep: the swept parameter, and the values over it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.answer.points import Point, Swept
from lasthop.measures import Measure
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.encodings import AxisUnit, number_axis, value_scale
from lasthop.report.figures.vega_lite import Scale, X
from lasthop.report.series import Measured

_LOAD = "/s"
_LOWEST = 2.0


@dataclass(frozen=True, slots=True)
class SweepAxis:
    """The swept parameter along which the lines run."""

    measure: AxisUnit
    place: int
    scale: Scale
    ticks: Sequence[float]

    @classmethod
    def along(cls, swept: Swept, place: int, points: Sequence[Point]) -> "SweepAxis":
        """Lay it out for some points; ``place`` is that of the parameter among their values."""
        values = [point.values[place] for point in points]
        measure = AxisUnit.of(swept.label, swept.unit, values)
        positions = sorted({value * measure.factor for value in values})
        # A load has a zero, and what happens at each of its values is looked for.
        is_load = swept.unit == _LOAD
        scale, ticks = value_scale(positions, from_zero=positions[0] <= 0 or is_load)
        scale.padding = 12
        return cls(measure, place, scale, positions if is_load else ticks or positions)

    def encoding(self, field: str = "x:Q") -> X:
        """Lay a field along it."""
        return X(field, title=self.measure.title, scale=self.scale, axis=number_axis(self.ticks))


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """The axis of values, the same in all panels of a column."""

    measure: AxisUnit
    scale: Scale
    ticks: Sequence[float] | None
    floor: float
    """The lower end of a logarithmic axis. Smaller values are cut off."""

    @classmethod
    def around(
        cls,
        series: Sequence[Measured],
        column: Measure,
        beside: Annotations,
        *,
        from_zero: bool,
    ) -> "ValueAxis":
        """Lay it out for what was measured and for what is drawn beside it."""
        drawn = (
            found.interval.low if found.overloaded else found.interval.mean for found in series
        )
        least = min(drawn, default=0.0) / _LOWEST
        # An interval that reaches down to nothing does not make an axis linear, or long.
        lows = [
            max(found.interval.low, least) if least > 0 else found.interval.low for found in series
        ]
        ends = [
            *lows,
            *(found.interval.high for found in series),
            *(mark.value for mark in beside.published),
            *(limit.value for limit in beside.limits),
        ]
        measure = AxisUnit.of(column.label, column.unit, ends)
        scale, ticks = value_scale([end * measure.factor for end in ends], from_zero=from_zero)
        if column.unit == "fraction":
            # A share has a largest value, and is never drawn logarithmically.
            scale, ticks = Scale(zero=False, nice=True), None
            if from_zero:
                scale.domain = [0, 100]
        floor = scale.domain[0] if scale.type == "log" else -math.inf
        return cls(measure, scale, ticks, floor)

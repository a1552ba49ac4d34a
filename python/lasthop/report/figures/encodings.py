"""Encodings that figures share: stacks, axes, ticks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.report.figures.vega_lite import Axis, Color, Field, Legend, Scale, Shape, StrokeDash
from lasthop.report.styles import DASHES, SHAPES, stack_styles

_LOG_FROM_RATIO = 8.0
_SECONDS_FROM_MS = 2000.0
_NUMBER = ",.6~g"
_FEWEST_TICKS = 3

KEY_SIZE = 34**2
"""Size of a line in a legend, in square pixels."""

_LOG_STEPS = (
    (1.0,),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    tuple(step / 10 for step in range(10, 100, 2)),
    tuple(step / 100 for step in range(100, 1000, 5)),
)


@dataclass(frozen=True, slots=True)
class StackEncoding:
    """Colour, shape and dash of the stacks of a study, the same in every figure.

    Parameters
    ----------
    stacks : tuple of str
        All, in the order of the study.
    shown : tuple of str
        Those in the figure.
    legend : bool
        Whether the charts have one, as an image needs it.
    symbols : bool
        Whether the lines have symbols on them.
    """

    stacks: tuple[str, ...]
    shown: tuple[str, ...]
    legend: bool
    symbols: bool

    @property
    def colour(self) -> Color:
        """The colour, from the palette of the page's theme."""
        return Color(
            "stack:N",
            scale=Scale(domain=list(self.stacks), range="category"),
            legend=self._legend(),
        )

    @property
    def shape(self) -> Shape:
        """The symbol."""
        styles = stack_styles(self.stacks)
        shapes = [styles[stack].shape for stack in self.stacks] or list(SHAPES)
        return Shape(
            "stack:N",
            scale=Scale(domain=list(self.stacks), range=shapes),
            legend=self._legend(),
        )

    @property
    def dash(self) -> StrokeDash:
        """The dash pattern. Lines with symbols show it in the legend."""
        styles = stack_styles(self.stacks)
        dashes = [list(styles[stack].dash) for stack in self.stacks] or [list(DASHES[0])]
        # Vega-Lite merges what has one domain: the symbols' outlines would be dashed, too.
        apart = [""] if self.symbols else []
        return StrokeDash(
            "stack:N",
            scale=Scale(domain=[*self.stacks, *apart], range=dashes),
            legend=None if self.symbols else self._legend(),
        )

    def _legend(self) -> Legend | None:
        if not self.legend:
            return None
        legend = Legend(values=list(self.shown), title=None, symbolOpacity=1)
        if not self.symbols:
            legend.symbolSize = KEY_SIZE
        return legend


@dataclass(frozen=True, slots=True)
class AxisUnit:
    """How a quantity is written along an axis.

    Parameters
    ----------
    factor : float
        From the unit of the table to that of the axis.
    title : str
        With the unit.
    """

    factor: float
    title: str

    @classmethod
    def of(cls, label: str, unit: str, values: Sequence[float]) -> "AxisUnit":
        """Choose the unit of an axis for these values.

        Examples
        --------
        >>> AxisUnit.of("median latency", "ms", [250.0, 9000.0]).title
        'median latency (s)'
        >>> AxisUnit.of("clients count", "count", [1.0, 100.0]).title
        'clients count'
        """
        largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
        factor, shown = _axis_unit(unit, largest)
        return cls(factor, label if shown == "count" else f"{label} ({shown})")


def _axis_unit(unit: str, largest: float) -> tuple[float, str]:
    if unit == "fraction":
        return 100.0, "%"
    if unit == "ms" and largest >= _SECONDS_FROM_MS:
        return 1e-3, "s"
    if unit == "J" and largest < 1:
        return 1e3, "mJ"
    if unit in {"B", "bit/s", "B/s"}:
        for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if largest >= size:
                return 1 / size, prefix + unit
    return 1.0, unit or "value"


def value_scale(values: Sequence[float], *, from_zero: bool) -> tuple[Scale, list[float] | None]:
    """Return the scale for ``values`` and its ticks, None leaving them to Vega.

    Positive values that span a wide range get a logarithmic scale.
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return Scale(domain=[0, 1]), None
    if not from_zero and min(finite) > 0:
        low, high = min(finite), max(finite)
        if high / low >= _LOG_FROM_RATIO:
            domain = [low / 1.15, high * 1.15]
            return Scale(type="log", domain=domain, nice=False), log_ticks(*domain)
    return Scale(zero=from_zero, nice=True), None


def log_ticks(low: float, high: float) -> list[float]:
    """Return ticks for a logarithmic axis: decades, and more between them when there are few.

    Examples
    --------
    >>> log_ticks(150, 3000)
    [200.0, 500.0, 1000.0, 2000.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for steps in _LOG_STEPS:
        found = (float(f"{step * 10.0**power:.6g}") for power in powers for step in steps)
        ticks = [tick for tick in found if low <= tick <= high]
        if len(ticks) >= _FEWEST_TICKS:
            break
    return ticks


def number_axis(ticks: Sequence[float] | None = None) -> Axis:
    """Return an axis that writes 2000 as ``2,000``, never as ``2e+3``."""
    if ticks is None:
        return Axis(tickCount=5, format=_NUMBER)
    return Axis(values=list(ticks), format=_NUMBER, labelOverlap=True)


def tooltip(*, value: str, interval: str) -> list[Field]:
    """Return the tooltip of a mark: stack, point, value and interval."""
    return [
        Field("stack:N", title="stack"),
        Field("point:N", title="at"),
        Field("value:N", title=value),
        Field("interval:N", title=interval),
        Field("runs:Q", title="repetitions"),
    ]

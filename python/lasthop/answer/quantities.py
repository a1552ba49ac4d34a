"""Numbers with their units, as a person writes them."""

import math
from dataclasses import dataclass

from lasthop.statistics.intervals import Interval, IntervalKind

DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
SPACE = "\N{NO-BREAK SPACE}"
"""Between a number and its unit."""
NOTHING = "\N{EM DASH}"

_SIGNIFICANT_DIGITS = 3
_MOST_DECIMALS = 5
_NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}


@dataclass(frozen=True, slots=True)
class _Scale:
    """A unit that suits a magnitude: multiply by ``factor``, then write ``suffix``."""

    factor: float
    suffix: str


def format_quantity(value: float | None, unit: str, *, missing: str = "no value") -> str:
    """Write ``value`` with a suitable unit and three significant digits.

    Examples
    --------
    >>> print(format_quantity(1840.0, "ms").replace(SPACE, " "))
    1.84 s
    >>> print(format_quantity(0.9996, "fraction").replace(SPACE, " "))
    99.96 %
    >>> format_quantity(None, "ms", missing="not reached")
    'not reached'
    """
    if value is None or math.isinf(value) or math.isnan(value):
        return missing
    scale = _scale(abs(value), unit)
    return _with_unit(_number(value * scale.factor, unit), scale.suffix)


def format_range(interval: Interval, unit: str, *, missing: str = "no value") -> str:
    """Write the two ends of an interval with the unit that suits the larger one."""
    if interval.kind is IntervalKind.SINGLE:
        return NOTHING
    ends = (interval.low, interval.high)
    finite = [abs(end) for end in ends if math.isfinite(end)]
    if not finite:
        return missing
    scale = _scale(max(finite), unit)
    low, high = (
        _number(end * scale.factor, unit) if math.isfinite(end) else missing for end in ends
    )
    if low == high:
        return _with_unit(low, scale.suffix)
    if math.isfinite(ends[1]):
        return _with_unit(f"{low} {DASH} {high}", scale.suffix)
    return f"{_with_unit(low, scale.suffix)} {DASH} {high}"


def format_change(value: float) -> str:
    """Write a relative difference with its sign.

    Examples
    --------
    >>> print(format_change(0.1234).replace(SPACE, " "))
    +12 %
    """
    if math.isinf(value):
        return "beyond measure"
    if value >= 2:  # noqa: PLR2004  (three times as much reads better than +200 %)
        return f"{_number(1 + value, '')}{SPACE}{TIMES}"
    percent = abs(value) * 100
    if percent < 0.05:  # noqa: PLR2004
        return _with_unit("0", "%")
    sign = MINUS if value < 0 else "+"
    digits = 1 if percent < 10 else 0  # noqa: PLR2004
    return _with_unit(f"{sign}{percent:.{digits}f}", "%")


def format_difference(value: float, unit: str) -> str:
    """Write a difference with its sign; for shares in percentage points.

    Examples
    --------
    >>> print(format_difference(-0.0123, "fraction").replace(SPACE, " ").replace(MINUS, "-"))
    -1.23 points
    """
    if math.isinf(value):
        return "beyond measure"
    size = abs(value)
    if unit == "fraction":
        written = f"{_number(100 * size, '')}{SPACE}points"
    else:
        written = format_quantity(size, unit)
    sign = "" if value == 0 else MINUS if value < 0 else "+"
    return f"{sign}{written}"


def _with_unit(number: str, unit: str) -> str:
    return f"{number}{SPACE}{unit}" if unit else number


def _scale(magnitude: float, unit: str) -> _Scale:
    if unit == "fraction":
        return _Scale(100.0, "%")
    if unit in _NANOSECONDS:
        return _duration_scale(magnitude, unit)
    if unit in {"B", "bit/s", "B/s", "m", "Hz"}:
        return _decimal_scale(magnitude, unit)
    if unit == "J" and 0 < magnitude < 1:
        return _Scale(1e3, "mJ")
    return _Scale(1.0, "" if unit in {"count", "money"} else unit)


def _duration_scale(magnitude: float, unit: str) -> _Scale:
    nanoseconds = magnitude * _NANOSECONDS[unit]
    if nanoseconds == 0:
        return _Scale(1.0, unit)
    target = "ns"
    for candidate, size in _NANOSECONDS.items():
        # 90 s reads better in seconds than as 1.5 min, so minutes start at two.
        if nanoseconds >= size * (2 if candidate in {"min", "h"} else 0.9995):
            target = candidate
    return _Scale(
        _NANOSECONDS[unit] / _NANOSECONDS[target], target.replace("us", "\N{MICRO SIGN}s")
    )


def _decimal_scale(magnitude: float, unit: str) -> _Scale:
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if magnitude >= size * 0.9995:
            return _Scale(1 / size, prefix + unit)
    return _Scale(1.0, unit)


def _number(value: float, unit: str) -> str:
    if value == 0:
        return "0"
    if unit == "fraction":
        return _percent(value)
    decimals = _SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(value)))
    text = f"{value:,.{min(max(decimals, 0), _MOST_DECIMALS)}f}"
    return (
        _without_trailing_zeros(text).replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", MINUS)
    )


def _percent(value: float) -> str:
    """Write a percentage that is 100 only when it is exactly that."""
    for decimals in range(1, _MOST_DECIMALS + 1):
        text = f"{value:.{decimals}f}"
        if float(text) == 100 and value != 100:  # noqa: PLR2004
            continue
        if float(text) == 0 and decimals < _MOST_DECIMALS:
            continue
        return _without_trailing_zeros(text).replace("-", MINUS)
    return f"{value:.{_MOST_DECIMALS}f}"


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text

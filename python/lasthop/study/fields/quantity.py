"""Quantities with units: ``409 B``, ``250 ms``, ``50 kbit/s``, ``10 %``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from lasthop.study.text.faults import Fault, nearest, show


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of quantity, and the units in which it can be written.

    Parameters
    ----------
    noun
        Noun with article for errors.
    units
        The factor of each unit to the base unit.
    shown
        Units for output, starting with the smallest.
    usual
        Unit that errors suggest.
    maximum
        The largest value, in base units.
    whole
        Whether the base unit cannot be divided.
    column_unit
        The unit of a results column.
    column_factor
        Base units in one unit of a results column.
    signed
        Whether a value may be negative.
    """

    name: str
    noun: str
    units: dict[str, Decimal]
    shown: tuple[str, ...]
    usual: str
    maximum: Decimal
    whole: bool
    column_unit: str
    column_suffix: str
    column_factor: int
    signed: bool = False


_DAY_NS = 86_400 * 10**9

TIME = Kind(
    name="time",
    noun="a time",
    units={
        "ns": Decimal(1),
        "us": Decimal(10**3),
        "ms": Decimal(10**6),
        "s": Decimal(10**9),
        "min": Decimal(60 * 10**9),
        "h": Decimal(3_600 * 10**9),
        "d": Decimal(_DAY_NS),
    },
    shown=("ns", "us", "ms", "s", "min", "h", "d"),
    usual="ms",
    maximum=Decimal(3_650 * _DAY_NS),
    whole=True,
    column_unit="ms",
    column_suffix="_ms",
    column_factor=10**6,
)
SIZE = Kind(
    name="size",
    noun="a size",
    units={
        "B": Decimal(1),
        "kB": Decimal(10**3),
        "MB": Decimal(10**6),
        "KiB": Decimal(2**10),
        "MiB": Decimal(2**20),
    },
    shown=("B", "kB", "MB"),
    usual="B",
    maximum=Decimal(10**12),
    whole=True,
    column_unit="bytes",
    column_suffix="_bytes",
    column_factor=1,
)
RATE = Kind(
    name="rate",
    noun="a rate",
    units={
        "bit/s": Decimal(1),
        "kbit/s": Decimal(10**3),
        "Mbit/s": Decimal(10**6),
        "Gbit/s": Decimal(10**9),
        "B/s": Decimal(8),
        "kB/s": Decimal(8 * 10**3),
        "MB/s": Decimal(8 * 10**6),
    },
    shown=("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    usual="kbit/s",
    maximum=Decimal(10**12),
    whole=True,
    column_unit="bit/s",
    column_suffix="_bit_per_s",
    column_factor=1,
)
FRACTION = Kind(
    name="fraction",
    noun="a percentage",
    units={"%": Decimal("0.01")},
    shown=("%",),
    usual="%",
    maximum=Decimal(1),
    whole=False,
    column_unit="fraction",
    column_suffix="",
    column_factor=1,
)
ENERGY = Kind(
    name="energy",
    noun="an energy",
    units={
        "mJ": Decimal("0.001"),
        "J": Decimal(1),
        "kJ": Decimal(10**3),
        "mWh": Decimal("3.6"),
        "Wh": Decimal(3_600),
    },
    shown=("mJ", "J", "kJ", "Wh"),
    usual="J",
    maximum=Decimal(10**9),
    whole=False,
    column_unit="J",
    column_suffix="_j",
    column_factor=1,
)
PACKETS = Kind(
    name="packets",
    noun="a number of packets",
    units={"packets": Decimal(1), "packet": Decimal(1)},
    shown=("packets",),
    usual="packets",
    maximum=Decimal(10**9),
    whole=True,
    column_unit="packets",
    column_suffix="_packets",
    column_factor=1,
)

DECIBEL = Kind(
    name="decibel",
    noun="a ratio in dB",
    units={"dB": Decimal(1)},
    shown=("dB",),
    usual="dB",
    maximum=Decimal(400),
    whole=False,
    column_unit="dB",
    column_suffix="_db",
    column_factor=1,
    signed=True,
)
POWER_LEVEL = Kind(
    name="power level",
    noun="a power in dBm",
    units={"dBm": Decimal(1)},
    shown=("dBm",),
    usual="dBm",
    maximum=Decimal(200),
    whole=False,
    column_unit="dBm",
    column_suffix="_dbm",
    column_factor=1,
    signed=True,
)
LENGTH = Kind(
    name="length",
    noun="a length",
    units={"m": Decimal(1), "km": Decimal(1000)},
    shown=("m", "km"),
    usual="m",
    maximum=Decimal(1_000_000),
    whole=False,
    column_unit="m",
    column_suffix="_m",
    column_factor=1,
)
FREQUENCY = Kind(
    name="frequency",
    noun="a frequency",
    units={
        "Hz": Decimal(1),
        "kHz": Decimal(10**3),
        "MHz": Decimal(10**6),
        "GHz": Decimal(10**9),
    },
    shown=("Hz", "kHz", "MHz", "GHz"),
    usual="Hz",
    maximum=Decimal(10**11),
    whole=False,
    column_unit="Hz",
    column_suffix="_hz",
    column_factor=1,
)
ANGLE = Kind(
    name="angle",
    noun="an angle",
    units={"deg": Decimal(1)},
    shown=("deg",),
    usual="deg",
    maximum=Decimal(360),
    whole=False,
    column_unit="deg",
    column_suffix="_deg",
    column_factor=1,
)
ARRIVALS = Kind(
    name="arrivals",
    noun="a number of arrivals in a time",
    units={"/s": Decimal(3600), "/min": Decimal(60), "/h": Decimal(1)},
    shown=("/h", "/min", "/s"),
    usual="/s",
    maximum=Decimal(3600 * 10**6),
    whole=False,
    column_unit="/s",
    column_suffix="_per_s",
    column_factor=3600,
)

CHARGE = Kind(
    name="charge",
    noun="a charge",
    units={"mAh": Decimal("0.001"), "Ah": Decimal(1)},
    shown=("mAh", "Ah"),
    usual="Ah",
    maximum=Decimal(10**6),
    whole=False,
    column_unit="Ah",
    column_suffix="_ah",
    column_factor=1,
)
CURRENT = Kind(
    name="current",
    noun="a current",
    units={
        "nA": Decimal("0.000000001"),
        "uA": Decimal("0.000001"),
        "mA": Decimal("0.001"),
        "A": Decimal(1),
    },
    shown=("nA", "uA", "mA", "A"),
    usual="mA",
    maximum=Decimal(1000),
    whole=False,
    column_unit="A",
    column_suffix="_a",
    column_factor=1,
)
POWER = Kind(
    name="power",
    noun="a power",
    units={
        "nW": Decimal("0.000000001"),
        "uW": Decimal("0.000001"),
        "mW": Decimal("0.001"),
        "W": Decimal(1),
    },
    shown=("nW", "uW", "mW", "W"),
    usual="mW",
    maximum=Decimal(1000),
    whole=False,
    column_unit="W",
    column_suffix="_w",
    column_factor=1,
)
VOLTAGE = Kind(
    name="voltage",
    noun="a voltage",
    units={"mV": Decimal("0.001"), "V": Decimal(1)},
    shown=("V",),
    usual="V",
    maximum=Decimal(1000),
    whole=False,
    column_unit="V",
    column_suffix="_v",
    column_factor=1,
)
RESISTANCE = Kind(
    name="resistance",
    noun="a resistance",
    units={"mohm": Decimal("0.001"), "ohm": Decimal(1)},
    shown=("ohm",),
    usual="ohm",
    maximum=Decimal(10**6),
    whole=False,
    column_unit="ohm",
    column_suffix="_ohm",
    column_factor=1,
)
TEMPERATURE = Kind(
    name="temperature",
    noun="a temperature",
    units={"\N{DEGREE SIGN}C": Decimal(1), "C": Decimal(1)},
    shown=("\N{DEGREE SIGN}C",),
    usual="\N{DEGREE SIGN}C",
    maximum=Decimal(200),
    whole=False,
    column_unit="\N{DEGREE SIGN}C",
    column_suffix="_c",
    column_factor=1,
    signed=True,
)
LIFETIME = Kind(
    name="lifetime",
    noun="a number of years",
    units={"years": Decimal(1), "year": Decimal(1)},
    shown=("years",),
    usual="years",
    maximum=Decimal(1000),
    whole=False,
    column_unit="years",
    column_suffix="_years",
    column_factor=1,
)

KINDS = (
    TIME,
    SIZE,
    RATE,
    FRACTION,
    PACKETS,
    ENERGY,
    DECIBEL,
    POWER_LEVEL,
    LENGTH,
    FREQUENCY,
    ANGLE,
    ARRIVALS,
    CHARGE,
    CURRENT,
    POWER,
    VOLTAGE,
    RESISTANCE,
    TEMPERATURE,
)


def kind_of_unit(unit: str) -> Kind | None:
    """Return the kind of quantity of a results column's unit, or None.

    Examples
    --------
    >>> kind_of_unit("bit/s").name
    'rate'
    """
    return next((kind for kind in KINDS if unit in {kind.column_unit, *kind.units}), None)


_QUANTITY = re.compile(r"([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))\s*([^\s0-9.].*)?")
_NOT_A_NUMBER = re.compile(r"[-+]?\.?(nan|inf|infinity)\b.*", re.IGNORECASE)
_EXPONENT = re.compile(r"[-+]?[0-9.]+[eE][-+]?[0-9]+.*")
_MAXIMUM_CHARACTERS = 40
# Units of rates whose letters have been used for bits and for bytes.
_TWO_READINGS = {
    "bps": ("bit/s", "B/s"),
    "kbps": ("kbit/s", "kB/s"),
    "mbps": ("Mbit/s", "MB/s"),
    "gbps": ("Gbit/s", "MB/s"),
    "kb/s": ("kbit/s", "kB/s"),
    "mb/s": ("Mbit/s", "MB/s"),
    "b/s": ("bit/s", "B/s"),
}
_OTHER_NAMES = {
    "µs": "us",
    "μs": "us",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "m": "min",
    "mins": "min",
    "minute": "min",
    "minutes": "min",
    "hour": "h",
    "hours": "h",
    "day": "d",
    "days": "d",
    "msec": "ms",
    "byte": "B",
    "bytes": "B",
    "b": "B",
    "dbi": "dB",
    "percent": "%",
    "pct": "%",
}


def parse(value: object, kind: Kind, *, example: str | None = None) -> Decimal:
    """Parse a quantity into base units: ns, bytes, bit/s, fraction, packets, dB, dBm, m, Hz, 1/h.

    Examples
    --------
    >>> parse("250 ms", TIME), parse("6.25 kB/s", RATE), parse("10 %", FRACTION)
    (Decimal('250000000'), Decimal('50000.00'), Decimal('0.10'))
    """
    wanted = example or f"10 {kind.usual}"
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Fault(f"{show(value)} is not {kind.noun}", hint=f'write "{wanted}"')
    text = str(value).strip()
    number, unit = _split(text, kind, wanted)
    if unit is None:
        raise Fault(f"{show(text)} has no unit", hint=f'write "{text} {_usual_unit(wanted)}"')
    if unit not in kind.units:
        raise _wrong_unit(text, number, unit, kind, wanted)
    amount = Decimal(number) * kind.units[unit]
    if amount < 0 and not kind.signed:
        raise Fault(f"{show(text)} is negative", hint=f'write "0 {unit}" or more')
    if amount > kind.maximum:
        most = format_quantity(kind.maximum, kind)
        raise Fault(f"{show(text)} is more than {most}", hint=f'write "{most}" or less')
    if amount < -kind.maximum:
        least = format_quantity(-kind.maximum, kind)
        raise Fault(f"{show(text)} is less than {least}", hint=f'write "{least}" or more')
    if kind.whole and amount != amount.to_integral_value():
        base = next(iter(kind.units))
        raise Fault(f"{show(text)} is not a whole number of {base}", hint=f'write "{wanted}"')
    return amount


def _split(text: str, kind: Kind, wanted: str) -> tuple[str, str | None]:
    if _NOT_A_NUMBER.fullmatch(text):
        raise Fault(f"{show(text)} is not a number", hint=f'write "{wanted}"')
    if _EXPONENT.fullmatch(text):
        raise Fault(
            f"{show(text)} has an exponent", hint=f'write the digits, for example "{wanted}"'
        )
    found = _QUANTITY.fullmatch(text)
    if found is None or len(text) > _MAXIMUM_CHARACTERS:
        raise Fault(f"{show(text)} is not {kind.noun}", hint=f'write "{wanted}"')
    number, unit = found.groups()
    return number, unit


def _usual_unit(wanted: str) -> str:
    return wanted.lstrip("0123456789. ")


def _wrong_unit(text: str, number: str, unit: str, kind: Kind, wanted: str) -> Fault:
    readings = _TWO_READINGS.get(unit.lower())
    if kind is RATE and readings is not None:
        bits, octets = readings
        return Fault(
            f"{show(text)} may mean bits or bytes",
            hint=f'write "{number} {bits}" or "{number} {octets}"',
        )
    right = _OTHER_NAMES.get(unit.lower())
    for other in KINDS:
        if unit in other.units and right not in kind.units:
            return Fault(f"{show(text)} is {other.noun}, not {kind.noun}", hint=f'write "{wanted}"')
    if right not in kind.units:
        right = next((known for known in kind.units if known.lower() == unit.lower()), None)
    right = right or nearest(unit, kind.units)
    what = f"{show(text)}: unknown unit {show(unit)}"
    if right is not None:
        return Fault(what, hint=f'write "{number} {right}"')
    return Fault(what, hint=f"write one of the units of {kind.noun}: {' '.join(kind.units)}")


_SMALLEST_SHOWN = {"rate": Decimal(1), "arrivals": Decimal("0.1")}
"""Limits above which an amount keeps its unit and is written with two decimals."""


def format_quantity(amount: Decimal | float, kind: Kind, *, space: str = " ") -> str:
    """Format a quantity in the unit that gives a short number.

    Examples
    --------
    >>> format_quantity(600_000_000_000, TIME), format_quantity(0.1, FRACTION)
    ('10 min', '10 %')
    >>> format_quantity(2_000_000_000, TIME, space="")
    '2s'
    """
    exact = Decimal(str(amount))
    if exact == 0:
        return f"0{space}{'s' if kind is TIME else kind.usual}"
    best = kind.shown[0]
    for unit in kind.shown:
        scaled = exact / kind.units[unit]
        if scaled == scaled.to_integral_value() or (
            scaled >= _SMALLEST_SHOWN.get(kind.name, scaled + 1) and scaled == round(scaled, 2)
        ):
            best = unit
    return f"{_plain(exact / kind.units[best])}{space}{best}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

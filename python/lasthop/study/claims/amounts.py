"""Parses the figures of a claim: amounts, shares, tolerances, multiples of a swept key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from lasthop.study.expressions import COUNT, TEXT
from lasthop.study.fields.quantity import FRACTION, SIZE, Kind, parse
from lasthop.study.forms.keys import column_name, sweepable_keys
from lasthop.study.text.faults import Fault, show, suggestion

_NUMBER = re.compile(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?")
_PERCENTAGE = re.compile(r"([-+]?[0-9]{1,18}(?:\.[0-9]{1,18})?)\s*%")
_POINTS = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*percentage points?")
_MULTIPLE = re.compile(
    r"(?:(?P<factor>[0-9]{1,6}(?:\.[0-9]{1,6})?)\s*\*\s*)?(?P<key>[a-z_]+\.[a-z_.]+)"
)


@dataclass(frozen=True, slots=True)
class SweptKey:
    """A swept key and its possible column names."""

    key: str
    kind: Kind | str
    columns: tuple[str, ...]

    @property
    def unit(self) -> str:
        """Return the unit of its values in a table."""
        if not isinstance(self.kind, Kind):
            return "" if self.kind == TEXT else self.kind
        return "B" if self.kind is SIZE else self.kind.column_unit


def swept_key(key: str) -> SweptKey:
    """Return a key that a study can sweep.

    Raises
    ------
    Fault
        If there is none, or it holds no single value.
    """
    known = sweepable_keys().get(key)
    if known is None:
        hint = suggestion(key, sweepable_keys(), kind="keys")
        if hint.startswith("known"):
            hint = "write a dotted key of the study, for example path.loss"
        raise Fault(f"unknown key {show(key)}", hint=hint)
    if isinstance(known.kind, Kind):
        names = (known.kind.column_unit, "text")
        return SweptKey(key, known.kind, tuple(column_name(key, unit) for unit in names))
    if known.kind == "queue":
        return SweptKey(key, SIZE, tuple(column_name(key, unit) for unit in ("bytes", "text")))
    kind = COUNT if known.kind in {"count", "number"} else TEXT
    return SweptKey(key, kind, (column_name(key, "text"),))


def read_amount(value: object, kind: Kind | str, *, example: str) -> float:
    """Parse an amount into the unit of its results column."""
    if not isinstance(kind, Kind):
        return _number(value, example)
    amount = parse(value, kind, example=example)
    return float(amount / kind.column_factor)


def read_share(value: object, *, example: str) -> float:
    """Parse a signed share, for example ``2`` or ``200 %``."""
    found = _PERCENTAGE.fullmatch(_text(value))
    return float(Decimal(found[1]) / 100) if found else _number(value, example)


def read_percentage(value: object, *, example: str) -> float:
    """Parse a signed percentage of any size, for example ``+2 %``."""
    found = _PERCENTAGE.fullmatch(_text(value))
    if found is None:
        raise Fault(f"{show(value)} is not a percentage", hint=f'write "{example}"')
    return float(Decimal(found[1]) / 100)


def read_tolerance(value: object, kind: Kind | str | None) -> tuple[float | None, float | None]:
    """Parse a tolerance: relative (``15 %``) or absolute (``2 percentage points``, ``5 ms``).

    Returns
    -------
    tuple
        The relative and the absolute one; one of them is None.
    """
    text = _text(value)
    points = _POINTS.fullmatch(text)
    if points is not None:
        if kind is not FRACTION:
            raise Fault(f"{show(value)} can be used for ratios only", hint='write "within: 25 %"')
        return None, float(Decimal(points[1]) / 100)
    if _PERCENTAGE.fullmatch(text) or not isinstance(kind, Kind) or kind is FRACTION:
        share = read_percentage(value, example="within: 25 %")
        if share < 0:
            raise Fault(f"{show(value)} is negative", hint='write "within: 25 %"')
        return share, None
    return None, read_amount(value, kind, example="within: 25 %")


def read_multiple(value: object) -> tuple[float, SweptKey] | None:
    """Parse a multiple of a swept key, such as ``2 * path.delay.around``, or return None."""
    found = _MULTIPLE.fullmatch(_text(value))
    if found is None:
        return None
    return float(found["factor"] or 1), swept_key(found["key"])


def example_of(kind: Kind | str) -> str:
    """Return an example amount for error messages."""
    if not isinstance(kind, Kind):
        return "76"
    examples = {"fraction": "99 %", "time": "578 ms", "size": "400 B", "rate": "50 kbit/s"}
    return examples.get(kind.name, f"10 {kind.usual}")


def _number(value: object, example: str) -> float:
    text = _text(value)
    if _NUMBER.fullmatch(text) is None:
        raise Fault(f"{show(value)} is not a number", hint=f'write "{example}"')
    return float(text)


def _text(value: object) -> str:
    return "" if isinstance(value, bool | dict | list) or value is None else str(value).strip()

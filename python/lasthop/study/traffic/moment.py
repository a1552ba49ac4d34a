"""A time in a period: since its start, a time of day, or one on a day of the week."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lasthop.study.fields.form import Quantity, quantity_schema
from lasthop.study.fields.quantity import TIME, parse
from lasthop.study.text.faults import Fault, show

_MINUTE_NS = 60 * 10**9
_DAY_NS = 24 * 60 * _MINUTE_NS
_WEEK_NS = 7 * _DAY_NS
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PATTERN = rf"((?P<day>{'|'.join(_DAYS)}) +)?(?P<hours>[01]?[0-9]|2[0-3]):(?P<minutes>[0-5][0-9])"
_CLOCK = re.compile(_PATTERN)
_ALMOST = re.compile(r"([A-Za-z]+ +)?[0-9]+:[0-9]+(:[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Moment(Quantity):
    """Marks a time in a period, stored in ns since the start of the period."""

    def read(self, value: object) -> int | float:
        """Parse a time, ``06:30`` or ``mon 06:30``."""
        if not isinstance(value, str) or _ALMOST.fullmatch(value) is None:
            return Quantity.read(self, value)
        clock = _CLOCK.fullmatch(value)
        if clock is None:
            raise Fault(f"{show(value)} is not a time of day", hint='write "06:30" or "mon 06:30"')
        days = _DAYS.index(clock["day"]) if clock["day"] else 0
        return days * _DAY_NS + (int(clock["hours"]) * 60 + int(clock["minutes"])) * _MINUTE_NS

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of both notations."""
        days = "|".join(_DAYS)
        clock = {
            "type": "string",
            "pattern": f"^(({days}) +)?([01]?[0-9]|2[0-3]):[0-5][0-9]$",
            "examples": ["06:30", "mon 06:30"],
        }
        return {"anyOf": [quantity_schema(TIME, "10 s"), clock]}


def check_period(at: object, every: object) -> None:
    """Check that traffic at a time of day has a period of days or weeks.

    Raises
    ------
    Fault
        If it does not.
    """
    clock = _CLOCK.fullmatch(at) if isinstance(at, str) else None
    if clock is None or every is None:
        return
    try:
        period = parse(every, TIME)
    except Fault:
        return  # told at its own place
    unit, example = (_WEEK_NS, "7 d") if clock["day"] else (_DAY_NS, "1 d")
    if period % unit:
        what = (
            f"{show(at)} is a time of the {'week' if clock['day'] else 'day'}, "
            f"but the interval is {every}"
        )
        raise Fault(what, hint=f'write "every: {example}"', location=("at",))

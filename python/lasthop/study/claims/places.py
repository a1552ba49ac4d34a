"""Points of a part that a rule selects: ``at: {path.loss: "> 0 %"}``."""

from __future__ import annotations

import re
from typing import Any

from lasthop.study.claims.amounts import SweptKey, example_of, read_amount, swept_key
from lasthop.study.claims.claim import Place
from lasthop.study.expressions import TEXT, Comparison
from lasthop.study.text.faults import Fault, show

_EXTREMES = ("lowest", "highest")
_NAME = re.compile(r"[A-Za-z]")
"""Pattern of the start of a value's name. Amounts start with a digit."""
_COMPARED = re.compile(r"\s*(?P<operator><=|>=|==|!=|<|>)\s*(?P<value>.*)")


def read_places(written: dict[str, Any] | None) -> tuple[Place, ...]:
    """Parse the selected values of swept keys.

    Raises
    ------
    Fault
        With the key of what means nothing.
    """
    places = []
    for key, values in (written or {}).items():
        try:
            places.append(_place(key, values))
        except Fault as fault:
            raise fault.within(("at", key)) from None
    # The extreme is looked for among the points that all other keys have chosen.
    return tuple(sorted(places, key=lambda place: place.extreme is not None))


def numeric_key(key: str) -> SweptKey:
    """Return a swept key, which must hold a number."""
    swept = swept_key(key)
    if swept.kind == TEXT:
        raise Fault(
            f"{key} has no number as its value",
            hint="write a key with a number, for example path.loss",
        )
    return swept


def _place(key: str, values: object) -> Place:
    swept = swept_key(key)
    if values in _EXTREMES:
        numeric_key(key)
        return Place(
            key, swept.columns, swept.unit, extreme="lowest" if values == "lowest" else "highest"
        )
    written = values if isinstance(values, list) else [values]
    if not written:
        raise Fault("the list is empty", hint="write at least one value")
    comparisons = tuple(_comparison(swept, value) for value in written)
    return Place(key, swept.columns, swept.unit, comparisons=comparisons)


def _comparison(swept: SweptKey, written: object) -> Comparison:
    if isinstance(written, dict | list) or written is None:
        what = f"{swept.key} is never {show(written)}"
        raise Fault(what, hint="write one of its values, or a list of values")
    text = ("on" if written else "off") if isinstance(written, bool) else str(written)
    found = _COMPARED.fullmatch(text)
    sign, value = (found["operator"], found["value"]) if found else ("==", text)
    if swept.kind == TEXT and sign not in {"==", "!="}:
        raise Fault(
            f"{swept.key} is text, and cannot be compared by size",
            hint='write a word, or "!= WORD"',
        )
    is_word = swept.kind == TEXT or (sign in {"==", "!="} and _NAME.match(value) is not None)
    return Comparison(
        column=swept.key,
        columns=swept.columns,
        operator=sign,
        value=(
            value if is_word else read_amount(value, swept.kind, example=example_of(swept.kind))
        ),
        written=value,
        infinite_when_null=False,
    )

"""Texts that describe a multiverse.json."""

from collections.abc import Mapping, Sequence
from typing import Any

from lasthop.answer.quantities import DASH, NOTHING, format_quantity

Document = Mapping[str, Any]
"""The content of multiverse.json, or a part of it."""

_MORE_THAN_NOTHING = 0.0005


def summary(document: Document) -> str:
    """Describe the number of combined choices.

    Examples
    --------
    >>> choices = [{"values": ["0", "1"]}, {"values": ["on", "off"]}]
    >>> summary({"of": "a", "stack": "mqtt qos=1", "choices": choices})
    'a leaves 2 choices open: 4 readings of it, each in place of mqtt qos=1'
    """
    choices = document["choices"]
    readings = 1
    for choice in choices:
        readings *= len(choice["values"])
    noun = "choice" if len(choices) == 1 else "choices"
    return (
        f"{document['of']} leaves {len(choices)} {noun} open: {readings:,} readings of it, "
        f"each in place of {document['stack']}"
    )


def holds(claim: Document) -> str:
    """Describe in how many universes a claim holds."""
    return f"{share(claim['share'])} ({claim['holding']:,} of {claim['universes']:,})"


def share(value: float) -> str:
    """Format a share of universes. A share above 0 is never written as 0."""
    return "< 0.05 %" if 0 < value < _MORE_THAN_NOTHING else format_quantity(value, "fraction")


def ours_across(claim: Document) -> str:
    """Format the median of our value over the universes, with its 5 % to 95 % range."""
    low, median, high = (_amount(claim, claim[name]) for name in ("low", "median", "high"))
    return f"{median} ({low} {DASH} {high})"


def ours_in(claim: Document, universe: Document) -> tuple[str, str]:
    """Format our value in one universe and its interval."""
    if universe["ours"] is None:
        return NOTHING, NOTHING
    ends = universe["interval"]
    interval = NOTHING if ends is None else f" {DASH} ".join(_amount(claim, end) for end in ends)
    return _amount(claim, universe["ours"]), interval


def decided_by(claim: Document) -> str:
    """Describe which choice decides a claim, and the size of its effect."""
    name = claim["decided_by"]
    if name is None:
        return "no choice"
    effect = next(choice for choice in claim["choices"] if choice["choice"] == name)
    return f"{name}: {by_value(effect['values'])}"


def by_value(values: Sequence[Document]) -> str:
    """Describe the share of universes in which a claim holds, for each value of a choice."""
    return ", ".join(f"{share(each['share'])} with {each['value']}" for each in values)


def change(universe: Document) -> str:
    """Describe how a universe differs from the first one."""
    if universe["choice"] is None:
        return "the first value of each choice"
    return f"{universe['choice']} = {universe['value']}"


def _amount(claim: Document, value: float | None) -> str:
    return format_quantity(value, claim["unit"])

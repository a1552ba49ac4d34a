"""Alternatives in stacks: ``mqtt qos={0,1,2} tcp.nodelay={on,off}`` gives six arms."""

from __future__ import annotations

import itertools
import math

from lasthop.study.text.faults import Fault, show

MAXIMUM_ARMS = 1000
"""Maximum number of arms of a study."""

_HINT = 'write the values in one pair of braces, for example "qos={0,1,2}"'


def expand(text: str) -> tuple[str, ...]:
    """Return every combination of the alternatives. The first one varies slowest.

    Examples
    --------
    >>> expand("mqtt qos={0,1} version={3.1.1,5}")
    ('mqtt qos=0 version=3.1.1', 'mqtt qos=0 version=5', 'mqtt qos=1 version=3.1.1', \
'mqtt qos=1 version=5')
    >>> expand("raw_udp")
    ('raw_udp',)

    Raises
    ------
    Fault
        If a brace has no partner, an alternative is empty, or there are too many arms.
    """
    choices = _choices(text)
    arms = math.prod(len(values) for values in choices)
    if arms > MAXIMUM_ARMS:
        raise too_many_arms(arms)
    return tuple("".join(combination) for combination in itertools.product(*choices))


def too_many_arms(arms: int) -> Fault:
    """Return the error on alternatives that expand to too many stacks."""
    return Fault(
        f"the stacks expand to {arms}, and at most {MAXIMUM_ARMS} are possible",
        hint="write fewer alternatives",
    )


def _choices(text: str) -> list[tuple[str, ...]]:
    """Return the text as a list of choices. Fixed text is a choice with one value."""
    choices: list[tuple[str, ...]] = []
    rest = text
    while rest:
        fixed, brace, after = rest.partition("{")
        if "}" in fixed:
            raise Fault('a "}" has no matching "{"', hint=_HINT)
        choices.append((fixed,))
        if not brace:
            break
        inside, closed, rest = after.partition("}")
        if not closed:
            raise Fault('a "{" has no matching "}"', hint=_HINT)
        choices.append(_values(inside))
    return choices


def _values(inside: str) -> tuple[str, ...]:
    written = "{" + inside + "}"
    if "{" in inside:
        raise Fault(f"{show(written)} has braces inside of braces", hint=_HINT)
    values = tuple(value.strip() for value in inside.split(","))
    if "" in values:
        raise Fault(f"{show(written)} has an empty alternative", hint=_HINT)
    repeated = next((value for value in values if values.count(value) > 1), None)
    if repeated is not None:
        what = f"the alternative {show(repeated)} is written twice in {show(written)}"
        raise Fault(what, hint="remove one of them")
    return values

"""Parses the stacks of a study into arms, with alternatives expanded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lasthop.study.fields.labels import check_label
from lasthop.study.stacks.alternatives import MAXIMUM_ARMS, expand, too_many_arms
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.stacks.notation import ResolvedStack, parse_stack
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def read_arms(written: Sequence[str] | Mapping[str, str]) -> tuple[ResolvedStack, ...]:
    """Parse stacks from a list, or from a mapping with names.

    Alternatives under a name make arms that are called by it and by what tells them apart.

    Examples
    --------
    >>> [arm.name for arm in read_arms({"ours": "mqtt qos={0,1}", "plain": "coap"})]
    ['ours qos=0', 'ours qos=1', 'plain']

    Raises
    ------
    Fault
        With the place of a stack that does not exist, stands twice, or has a name that misleads.
    """
    if isinstance(written, dict):
        stacks: list[tuple[int | str, str | None, str]]
        stacks = [(name, name, text) for name, text in written.items()]
    else:
        stacks = [(index, None, text) for index, text in enumerate(written)]
    arms: dict[str, ResolvedStack] = {}
    for place, name, text in stacks:
        try:
            for arm in _alternatives(text) if name is None else _named(name, text):
                if arm.resolved in arms:
                    raise _equal_stacks(arm, arms[arm.resolved])
                if any(arm.name == other.name for other in arms.values()):
                    raise _equal_names(arm)
                arms[arm.resolved] = arm
            if len(arms) > MAXIMUM_ARMS:
                raise too_many_arms(len(arms))
        except Fault as fault:
            raise fault.within((place,)) from None
    return tuple(arms.values())


def _alternatives(text: str) -> tuple[ResolvedStack, ...]:
    return tuple(_arm(alternative, text) for alternative in expand(text))


def _named(name: str, text: str) -> tuple[ResolvedStack, ...]:
    check_label(name)
    arms = _alternatives(text)
    words = [arm.written.split() for arm in arms]
    shared = set.intersection(*map(set, words))
    for arm in arms:
        _check_protocol(name, arm)
    return tuple(
        replace(arm, name=" ".join([name, *(word for word in of_arm if word not in shared)]))
        for arm, of_arm in zip(arms, words, strict=True)
    )


def _check_protocol(name: str, arm: ResolvedStack) -> None:
    """Raise an error if the name of a stack begins with another protocol's name."""
    first = name.split(maxsplit=1)[0]
    known = catalogue()
    application = known.aliases[first][0] if first in known.aliases else first
    if application in known.applications and application != arm.layers[0]:
        what = f"the name {show(name)} is a protocol, and the stack is {arm.layers[0]}"
        raise Fault(
            what, hint='choose a name that is not a protocol, for example "ours"', at_key=True
        )


def _arm(alternative: str, written: str) -> ResolvedStack:
    try:
        return parse_stack(alternative)
    except Fault as fault:
        if alternative == written:
            raise
        raise Fault(f"{show(alternative)}: {fault.what}", hint=fault.hint) from None


def _equal_stacks(arm: ResolvedStack, other: ResolvedStack) -> Fault:
    if arm.name == other.name:
        return Fault(f"the stack {show(arm.name)} is written twice", hint="remove one of them")
    return Fault(
        f"{show(arm.name)} and {show(other.name)} are the same stack, {show(arm.resolved)}",
        hint="remove one of them",
    )


def _equal_names(arm: ResolvedStack) -> Fault:
    return Fault(f"two stacks have the name {show(arm.name)}", hint="rename one", at_key=True)

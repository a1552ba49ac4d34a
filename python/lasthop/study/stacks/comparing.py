"""Arms of a study that compares stacks in several groups."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from lasthop.study.stacks.alternatives import MAXIMUM_ARMS, too_many_arms
from lasthop.study.stacks.arm import StudyArm
from lasthop.study.stacks.arms import read_arms
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lasthop.study.stacks.notation import ResolvedStack

_EXAMPLE = 'write "compare: {fleet.meters.stack: [coap, mqtt]}"'


def compared_arms(
    groups: Mapping[str, str | None],
    *,
    stacks: Sequence[str] | Mapping[str, str] | None,
    compare: Mapping[str, Any] | None,
    gateways: frozenset[str] = frozenset(),
) -> tuple[StudyArm, ...]:
    """Return the arms of a study of several groups.

    Parameters
    ----------
    groups
        Stack of each group, None for a compared one. Keys ``group.server`` hold stacks for a single
        server.
    stacks
        Stacks of the study, as a list or by name.
    compare
        Compared stacks by key: the stack of a gateway, of a group, or of a group with one server.
    gateways
        Groups that are gateways.

    Raises
    ------
    Fault
        With the place of a stack that does not exist, or of a group without one.
    """
    names = stacks if isinstance(stacks, dict) else {}
    given = {
        group: _one(text, names, _place_of(group, gateways))
        for group, text in groups.items()
        if text is not None
    }
    choices: dict[str, tuple[ResolvedStack, ...]] = {}
    for key, values in (compare or {}).items():
        group = _client_of(key, groups, gateways)
        if group in given:
            raise Fault(
                f"the stack of {show(group)} is also set under compare",
                hint="remove it here, or remove the key under compare",
                location=_place_of(group, gateways),
                at_key=True,
            )
        choices[group] = _several(values, names, ("compare", key))
    open_groups = [group for group in groups if group not in given and group not in choices]
    if open_groups and not choices and stacks is not None:
        try:
            offered = read_arms(stacks)
        except Fault as fault:
            raise fault.within(("stacks",)) from None
        return tuple(
            StudyArm(
                stack.name, {open_groups[0]: stack}, _in_order(groups, given, open_groups, stack)
            )
            for stack in offered
        )
    if open_groups:
        *location, stack = _place_of(open_groups[0], gateways)
        key = ".".join(map(str, (*location, stack)))
        raise Fault(
            "the stack is missing",
            hint=f'write "stack: coap", or compare: {{{key}: [coap, mqtt]}}',
            location=tuple(location),
            at_key=True,
        )
    return _combined(groups, given, choices)


def _combined(
    groups: Mapping[str, object],
    given: Mapping[str, ResolvedStack],
    choices: Mapping[str, tuple[ResolvedStack, ...]],
) -> tuple[StudyArm, ...]:
    """Return an arm for each combination of compared stacks."""
    arms = []
    for combination in itertools.product(*choices.values()):
        compared = dict(zip(choices, combination, strict=True)) or dict(given)
        name = " + ".join(dict.fromkeys(stack.name for stack in compared.values()))
        stacks = {group: {**given, **compared}[group] for group in groups}
        arms.append(StudyArm(name, compared, stacks))
        if len(arms) > MAXIMUM_ARMS:
            fault = too_many_arms(len(arms))
            raise fault.within(("compare",))
    return tuple(arms)


def _in_order(
    groups: Mapping[str, object],
    given: Mapping[str, ResolvedStack],
    open_groups: Sequence[str],
    stack: ResolvedStack,
) -> dict[str, ResolvedStack]:
    return {group: stack if group in open_groups else given[group] for group in groups}


def _place_of(client: str, gateways: frozenset[str]) -> tuple[str | int, ...]:
    if client in gateways:
        return ("servers", client, "forwards", "stack")
    group, _, server = client.partition(".")
    return ("fleet", group, "stacks", server) if server else ("fleet", group, "stack")


def _client_of(key: str, groups: Mapping[str, object], gateways: frozenset[str]) -> str:
    match key.split("."):
        case ["servers", gateway, "forwards", "stack"] if gateway in gateways:
            return gateway
        case ["fleet", group, "stack"] if group in groups:
            return group
        case ["fleet", group, "stacks", server] if group in groups:
            return f"{group}.{server}"
        case ["fleet", group, "stack"] | ["fleet", group, "stacks", _]:
            what = f"there is no group {show(group)}"
            known = [name for name in groups if "." not in name]
            hint = suggestion(group, known, kind="groups")
        case _:
            what = f"{show(key)} cannot be compared"
            hint = f"compare only stacks ({_EXAMPLE}), and sweep other keys"
    raise Fault(what, hint=hint, location=("compare", key), at_key=True)


def _one(text: str, names: Mapping[str, str], location: tuple[str | int, ...]) -> ResolvedStack:
    stacks = _read(text, names, location)
    if len(stacks) > 1:
        raise Fault(
            f"{show(text)} expands to {len(stacks)} stacks",
            hint="write one stack, or list them under compare",
            location=location,
        )
    return stacks[0]


def _several(
    values: object, names: Mapping[str, str], location: tuple[str | int, ...]
) -> tuple[ResolvedStack, ...]:
    if not isinstance(values, list) or not values:
        raise Fault(f"{show(values)} is not a list of stacks", hint=_EXAMPLE, location=location)
    found: dict[str, ResolvedStack] = {}
    for place, value in enumerate(values):
        for stack in _read(value, names, (*location, place)):
            same = next((one for one in found.values() if one.resolved == stack.resolved), None)
            if same is not None or stack.name in found:
                other = stack.name if same is None else same.name
                what = f"{show(stack.name)} is written twice"
                if other != stack.name:
                    what = f"{show(stack.name)} is the same stack as {show(other)}"
                hint = "remove one of them"
                raise Fault(what, hint=hint, location=(*location, place))
            found[stack.name] = stack
    return tuple(found.values())


def _read(
    value: object, names: Mapping[str, str], location: tuple[str | int, ...]
) -> tuple[ResolvedStack, ...]:
    """Parse the name of a study's stack, or the notation of a stack."""
    if not isinstance(value, str):
        raise Fault(
            f"{show(value)} is not a stack",
            hint="write the name of a stack, for example coap",
            location=location,
        )
    try:
        return read_arms({value: names[value]} if value in names else [value])
    except Fault as fault:
        if value in names:
            raise Fault(
                fault.what, hint=fault.hint, location=("stacks", value), at_key=fault.at_key
            ) from None
        hint = suggestion(value, names, kind="stacks") if names else fault.hint
        if hint is not None and hint.startswith("known"):
            hint = fault.hint
        raise Fault(fault.what, hint=hint, location=location) from None

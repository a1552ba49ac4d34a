"""Table of study features that are not implemented yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fleet.devices import Arriving
from lasthop.study.text.faults import Fault
from lasthop.study.traffic.session import ForTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.study.fleet.assembly import Assembly, Event, Group
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack
    from lasthop.study.text.faults import Location
    from lasthop.study.traffic.session import SessionPolicy

NOT_BUILT: dict[str, str] = {
    "session: per_message over TCP without MQTT": 'write "session: keep"',
    "session: per 1 h over HTTP": (
        'write "session: keep", or "session: per 10" for sessions of 10 messages'
    ),
    "session: per 10 beside connection=per_message": "remove one of the two",
    "session: per_message over DTLS for traffic other than reports": 'write "session: keep"',
    "download with session: per_message over MQTT": 'write "session: keep"',
    "an event for devices that come and go": "write a number of devices that stay",
    "a group without a flow": "remove it, or give it a flow",
    "a second group that comes and goes": "write a number of devices for one of them",
    "a hop behind a network whose devices come and go": (
        "remove it, or write a number of devices that stay"
    ),
}
"""Alternatives to features that are not implemented yet, by name."""

Feature = tuple[str, "Location"]


def check_built(assembly: Assembly, arms: Sequence[StudyArm]) -> None:
    """Raise an error for settings that are not implemented yet.

    Raises
    ------
    Fault
        With the place of the first of it.
    """
    of_arms = (feature for arm in arms if arm.supported for feature in _of_arm(assembly, arm))
    for feature, location in (*_of_assembly(assembly), *of_arms):
        if feature in NOT_BUILT:
            what = f"{feature} is not built yet"
            raise Fault(what, hint=NOT_BUILT[feature], location=location, at_key=True)


def _of_assembly(assembly: Assembly) -> Iterator[Feature]:
    """Yield the unimplemented features that a study's parts need, with their locations."""
    for event in assembly.events:
        yield from _of_event(event, assembly)
    coming = [group for group in assembly.groups if isinstance(group.devices, Arriving)]
    for group in assembly.groups:
        yield from _of_group(group, assembly)
    for group in coming[1:]:
        yield "a second group that comes and goes", group.count_at


def _of_event(event: Event, assembly: Assembly) -> Iterator[Feature]:
    kind, target = event.form.kind, event.form.target
    at = (*event.location, kind)
    for group in assembly.groups:
        if isinstance(group.devices, Arriving) and target in (group.name, *group.servers):
            yield "an event for devices that come and go", at


def _of_group(group: Group, assembly: Assembly) -> Iterator[Feature]:
    has_flows = assembly.flows_of(group) or assembly.heard_by(group) or group.is_gateway
    if not has_flows:
        yield "a group without a flow", group.location
    hops = assembly.paths[group.path]
    if isinstance(group.devices, Arriving) and len(hops) > 1:
        yield "a hop behind a network whose devices come and go", hops[1].location


def _of_arm(assembly: Assembly, arm: StudyArm) -> Iterator[Feature]:
    """Yield the unimplemented features that the stacks of an arm need."""
    for flow in assembly.flows:
        stack = arm.stacks[assembly.group_of(flow).client(flow.server)]
        layers = stack.layers
        if assembly.session_of(flow) in {"keep", "established"}:
            continue
        kind = flow.traffic.kind
        if layers[0] == "mqtt" and kind == "download":
            # The client leaves when its question is acknowledged, before the file has come.
            yield "download with session: per_message over MQTT", (*flow.location, "session")
        if layers[0] == "http":
            feature = _of_http(assembly.session_of(flow), stack)
            if feature:
                yield feature, (*flow.location, "session")
        elif layers[0] != "mqtt" and "tcp" in layers:
            yield "session: per_message over TCP without MQTT", (*flow.location, "session")
        elif "dtls" in layers and kind != "report":
            yield (
                "session: per_message over DTLS for traffic other than reports",
                (*flow.location, "session"),
            )


def _of_http(session: SessionPolicy, stack: ResolvedStack) -> str | None:
    """Return the session policy that HTTP cannot implement, or None."""
    if isinstance(session, ForTime):
        return "session: per 1 h over HTTP"
    both = isinstance(session, int) and stack.options["connection"] == "per_message"
    return "session: per 10 beside connection=per_message" if both else None

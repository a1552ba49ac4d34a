"""Checks of reports that a server relays from one group to another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.study.fleet.devices import Arriving
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Flow, Group
    from lasthop.study.stacks.arm import StudyArm

_OF_THEIR_OWN = frozenset({"dds"})
"""Applications whose servers forward messages to devices of the same protocol only."""

MAXIMUM_HEARD = 1000
"""Largest number of devices that one device can subscribe to."""

MAXIMUM_AUDIENCE = 1000
"""Largest number of receivers of one message."""


def check_relays(assembly: Assembly) -> None:
    """Check that reports from one group to another have receivers.

    Raises
    ------
    Fault
        With the place of the flow or of its end.
    """
    for flow in assembly.flows:
        hearers = assembly.group(flow.receiver)
        if not flow.is_relayed or hearers is None:
            continue
        for key, group in (("from", assembly.group_of(flow)), ("to", hearers)):
            if isinstance(group.devices, Arriving):
                what = f"{group.name} come and go, and a report to a group needs devices that stay"
                raise Fault(what, hint="write the name of a server", location=(*flow.location, key))
        _check_number(flow, _staying(assembly.group_of(flow).devices), _staying(hearers.devices))


def check_topics(assembly: Assembly, arm: StudyArm) -> None:
    """Check that both ends of a report to a group have topics.

    Raises
    ------
    Fault
        If the stack of one of them has none.
    """
    known = catalogue()
    for flow in assembly.flows if arm.supported else ():
        for group, server in _ends(assembly, flow) if flow.is_relayed else ():
            application = arm.stacks[group.client(server)].application
            if not known.applications[application].has_topics:
                speaks = f"{application} of {group.name}"
                what = f"a report to a group needs topics, and {speaks} has no topics"
                shared = [it for it in known.with_topics() if it not in _OF_THEIR_OWN]
                hint = f"use one of the stacks {', '.join(shared)}"
                raise Fault(what, hint=hint, location=(*flow.location, "to"))
        if flow.is_relayed:
            _check_own_topics(assembly, arm, flow)


def _check_own_topics(assembly: Assembly, arm: StudyArm, flow: Flow) -> None:
    """Check that sender and receiver use the same protocol if the server cannot translate."""
    speakers = assembly.group_of(flow)
    groups = [group for group, _ in _ends(assembly, flow)]
    ends = [arm.stacks[group.client(server)] for group, server in _ends(assembly, flow)]
    own = next((end for end in ends if end.application in _OF_THEIR_OWN), None)
    if own is None:
        return
    location = (*flow.location, "to")
    if any(end != ends[0] for end in ends):
        what = f"a {own.application} server forwards reports only to devices with the same stack"
        hint = f"use the same stack for {' and '.join(group.name for group in groups)}"
        raise Fault(what, hint=hint, location=location)
    told = (
        other
        for other in assembly.flows
        if other.group == speakers.name and not other.is_relayed and other.traffic.kind != "report"
    )
    if (other := next(told, None)) is not None:
        what = (
            f"a {own.application} device has one topic, and another flow of "
            f"{speakers.name} uses it already"
        )
        hint = f"move the {other.traffic.kind} flow to another group"
        raise Fault(what, hint=hint, location=location)


def _ends(assembly: Assembly, flow: Flow) -> list[tuple[Group, str]]:
    """Return sender, receiver and a cache between them, each as group and server."""
    at = assembly.hears_at(flow)
    ends = [(flow.sender, flow.server), (flow.receiver, at)]
    if at != flow.server:
        ends.append((at, flow.server))
    groups = ((assembly.group(name), server) for name, server in ends)
    return [(group, server) for group, server in groups if group is not None]


def _staying(devices: int | Arriving) -> int:
    return 0 if isinstance(devices, Arriving) else devices


def _check_number(flow: Flow, speakers: int, hearers: int) -> None:
    location = (*flow.location, "to")
    if hearers == 0:
        what = f"the group {show(flow.receiver)} has no devices"
        raise Fault(what, hint="write the name of a server or another group", location=location)
    if flow.to_all and hearers > MAXIMUM_AUDIENCE:
        what = f"each message would go to {hearers} devices"
        hint = f'at most {MAXIMUM_AUDIENCE} are possible: remove "all of", or divide the group'
        raise Fault(what, hint=hint, location=location)
    heard = speakers if flow.to_all else math.ceil(speakers / hearers)
    if heard > MAXIMUM_HEARD:
        what = f"a device of {flow.receiver} would receive messages of {heard} devices"
        needed = math.ceil(speakers / MAXIMUM_HEARD)
        more = (
            "let fewer devices send"
            if flow.to_all
            else f"use at least {needed} devices in the group"
        )
        hint = f"at most {MAXIMUM_HEARD} are possible; {more}"
        raise Fault(what, hint=hint, location=location)

"""Reports from one group to another, through the core that the services of a server share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.study.fleet.devices import Arriving
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Flow, Group
    from lasthop.study.stacks.arm import Arm

_OF_THEIR_OWN = frozenset({"dds"})
"""Applications whose servers pass on to their own devices, by one topic of each device."""

MAXIMUM_HEARD = 1000
"""Of a device: a broker takes no more subscriptions of a session."""

MAXIMUM_AUDIENCE = 1000
"""Of a message that is for all devices of a group."""


def check_relays(assembly: Assembly) -> None:
    """Check that there is somebody to hear what one group says to another.

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
                what = f"{group.name} come and go, and a report to a group is for who is there"
                raise Fault(what, hint="name a server", location=(*flow.location, key))
        _check_number(flow, _staying(assembly.group_of(flow).devices), _staying(hearers.devices))


def check_topics(assembly: Assembly, arm: Arm) -> None:
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
                what = f"a report to a group goes by topics, and {speaks} has none"
                shared = [it for it in known.with_topics() if it not in _OF_THEIR_OWN]
                hint = f"let it speak {', '.join(shared)}"
                raise Fault(what, hint=hint, location=(*flow.location, "to"))
        if flow.is_relayed:
            _check_own_topics(assembly, arm, flow)


def _check_own_topics(assembly: Assembly, arm: Arm, flow: Flow) -> None:
    """Check that both ends of a report to a group speak alike, where no core is between."""
    speakers = assembly.group_of(flow)
    groups = [group for group, _ in _ends(assembly, flow)]
    ends = [arm.stacks[group.client(server)] for group, server in _ends(assembly, flow)]
    own = next((end for end in ends if end.application in _OF_THEIR_OWN), None)
    if own is None:
        return
    location = (*flow.location, "to")
    if any(end != ends[0] for end in ends):
        what = f"a server of {own.application} passes reports on to devices of the same stack alone"
        hint = f"let {' and '.join(group.name for group in groups)} have one stack"
        raise Fault(what, hint=hint, location=location)
    told = (
        other
        for other in assembly.flows
        if other.group == speakers.name and not other.is_relayed and other.traffic.kind != "report"
    )
    if (other := next(told, None)) is not None:
        what = (
            f"a device of {own.application} has one topic, and others read that of {speakers.name}"
        )
        hint = f"let {other.traffic.kind} be that of another group"
        raise Fault(what, hint=hint, location=location)


def _ends(assembly: Assembly, flow: Flow) -> list[tuple[Group, str]]:
    """Give who speaks and who hears, each with its server, and the cache between those."""
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
        what = f"there is nobody in {show(flow.receiver)}"
        raise Fault(what, hint="name a server or another group", location=location)
    if flow.to_all and hearers > MAXIMUM_AUDIENCE:
        what = f"each message would go to {hearers} devices"
        hint = f'at most {MAXIMUM_AUDIENCE}: leave "all of" out, or make several groups'
        raise Fault(what, hint=hint, location=location)
    heard = speakers if flow.to_all else math.ceil(speakers / hearers)
    if heard > MAXIMUM_HEARD:
        what = f"a device of {flow.receiver} would hear {heard} others"
        needed = math.ceil(speakers / MAXIMUM_HEARD)
        more = "fewer speak" if flow.to_all else f"{needed} be there, or more"
        hint = f"at most {MAXIMUM_HEARD}: let {more}"
        raise Fault(what, hint=hint, location=location)

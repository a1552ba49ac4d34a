"""Real software as devices: what a study may ask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fleet.devices import Arriving
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Group
    from lasthop.study.stacks.arm import Arm
    from lasthop.study.stacks.notation import ResolvedStack

MOST_DEVICES = 128
"""Each is a process with a path of its own in real time."""


def check_devices(assembly: Assembly, arm: Arm) -> None:
    """Check that real software can be the devices of an arm, where it is to be.

    Raises
    ------
    Fault
        With the place of what only our own devices can have.
    """
    stacks = arm.stacks.values() if arm.supported else ()
    foreign = next((stack for stack in stacks if stack.client is not None), None)
    if foreign is None:
        return
    others = [stack for stack in stacks if _beside_client(stack) != _beside_client(foreign)]
    of_ours = any(stack.client is None for stack in stacks)
    if others or of_ours or foreign.software is None:
        raise Fault(
            f"devices that are {foreign.client} speak with one server that is real software",
            hint='write, say, "mqtt qos=1 client=paho impl=mosquitto" for all',
            location=("stacks",),
        )
    for key, written in (("events", assembly.events), ("faults", assembly.faults)):
        if written:
            raise Fault(
                f"{key} happen to devices of ours, and these are {foreign.client}",
                hint="leave them out, or leave client out",
                location=(key,),
            )
    _check_crowd(assembly, foreign)
    for group in assembly.groups:
        _check_group(assembly, group, foreign)


def _beside_client(stack: ResolvedStack) -> dict[str, str]:
    """Give the options of a stack but whose devices speak it."""
    return {name: value for name, value in stack.options.items() if name != "client"}


def _check_crowd(assembly: Assembly, foreign: ResolvedStack) -> None:
    counts = [group.devices for group in assembly.groups]
    devices = sum(count for count in counts if not isinstance(count, Arriving))
    coming = any(isinstance(count, Arriving) for count in counts)
    if coming or devices > MOST_DEVICES or len(assembly.servers) != 1:
        raise Fault(
            f"{'devices that come and go' if coming else devices} of {foreign.client} are no case "
            "for real software",
            hint=f"write at most {MOST_DEVICES} devices that stay, and one server",
            location=assembly.groups[0].count_at,
        )


def _check_group(assembly: Assembly, group: Group, foreign: ResolvedStack) -> None:
    for hop in assembly.paths[group.path]:
        if hop.scope != "own" or hop.kind == "medium":
            raise Fault(
                f"devices that are {foreign.client} have paths of their own",
                hint='write "scope: own", or leave client out',
                location=hop.location,
            )
    if group.energy is not None or group.strata or group.is_gateway:
        raise Fault(
            f"what {foreign.client} lives on, and how far from a cell, cannot be seen",
            hint="leave it out, or leave client out",
            location=group.location,
        )
    flows = assembly.flows_of(group)
    for flow in flows:
        session = assembly.session_of(flow)
        ends = isinstance(session, int) and len(flows) == 1 and flow.traffic.kind == "report"
        if (session != "keep" and not ends) or flow.traffic.batch != 1:
            raise Fault(
                f"{foreign.client} keeps its session, or has one for so many reports, and sends "
                "each message by itself",
                hint='write "session: keep", or "per N" of a report that is alone, and no batch, '
                "or leave client out",
                location=flow.location,
            )
        receiver = assembly.group(flow.receiver)
        if receiver is not None and receiver.devices != 1 and not flow.to_all:
            raise Fault(
                f"messages of {foreign.client} go to one device",
                hint=f'write "to: all of {flow.receiver}", or leave client out',
                location=receiver.count_at,
            )

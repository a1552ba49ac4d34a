"""Checks of studies with real-software devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fleet.devices import Arriving
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Group
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

MOST_DEVICES = 128
"""Maximum number of real-software devices. Each is a process with its own path."""


def check_devices(assembly: Assembly, arm: StudyArm) -> None:
    """Check that real software can be the devices of an arm.

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
            f"{foreign.client} devices need exactly one server, which is real software too",
            hint='write for all stacks for example "mqtt qos=1 client=paho impl=mosquitto"',
            location=("stacks",),
        )
    for key, written in (("events", assembly.events), ("faults", assembly.faults)):
        if written:
            raise Fault(
                f"{key} are possible only with simulated devices, and these are {foreign.client}",
                hint="remove them, or remove client=",
                location=(key,),
            )
    _check_crowd(assembly, foreign)
    for group in assembly.groups:
        _check_group(assembly, group, foreign)


def _beside_client(stack: ResolvedStack) -> dict[str, str]:
    """Return the options of a stack without `client`."""
    return {name: value for name, value in stack.options.items() if name != "client"}


def _check_crowd(assembly: Assembly, foreign: ResolvedStack) -> None:
    counts = [group.devices for group in assembly.groups]
    devices = sum(count for count in counts if not isinstance(count, Arriving))
    coming = any(isinstance(count, Arriving) for count in counts)
    if coming or devices > MOST_DEVICES or len(assembly.servers) != 1:
        raise Fault(
            f"real software ({foreign.client}) cannot be "
            f"{'devices that come and go' if coming else devices}",
            hint=f"write at most {MOST_DEVICES} devices that stay, and one server",
            location=assembly.groups[0].count_at,
        )


def _check_group(assembly: Assembly, group: Group, foreign: ResolvedStack) -> None:
    for hop in assembly.paths[group.path]:
        if hop.scope != "own" or hop.kind == "extension_link":
            raise Fault(
                f"{foreign.client} devices cannot share a hop",
                hint='write "scope: own", or remove client=',
                location=hop.location,
            )
    is_priced = group.tariff is not None
    if group.energy is not None or group.strata or group.is_gateway or is_priced:
        raise Fault(
            f"energy, strata, tariffs and gateways do not apply to {foreign.client} devices, "
            "which are real software",
            hint="remove it, or remove client=",
            location=group.location,
        )
    flows = assembly.flows_of(group)
    for flow in flows:
        session = assembly.session_of(flow)
        ends = isinstance(session, int) and len(flows) == 1 and flow.traffic.kind == "report"
        if (session != "keep" and not ends) or flow.traffic.batch != 1:
            raise Fault(
                f'{foreign.client} supports only "session: keep" and "session: per '
                'N" for reports, and no batch',
                hint='write "session: keep" and remove the batch, or remove client=',
                location=flow.location,
            )
        receiver = assembly.group(flow.receiver)
        if receiver is not None and receiver.devices != 1 and not flow.to_all:
            raise Fault(
                f"{foreign.client} cannot send a message to a single device of a group",
                hint=f'write "to: all of {flow.receiver}", or remove client=',
                location=receiver.count_at,
            )

"""Checks that faults on messages can affect a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.study.fleet.aimed import AimedFaultForm
    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.text.faults import Location

# Layers that a link does not see through: those that encrypt, and the masked frames of WebSocket.
_OPAQUE = {"tls", "dtls", "quic", "ws"}


def check_fault_targets(assembly: Assembly, arms: Sequence[StudyArm]) -> None:
    """Raise an error for a fault that cannot affect any message of the study.

    Raises
    ------
    Fault
        If its group is not there, or nobody in it speaks its protocol so that it can be read.
    """
    supported = [arm for arm in arms if arm.supported]
    for place, fault in enumerate(assembly.faults):
        location: Location = ("faults", place)
        names = [group.name for group in assembly.groups]
        if fault.of is not None and fault.of not in names:
            raise Fault(
                f"there is no group {show(fault.of)}",
                hint=suggestion(fault.of, names, kind="groups"),
                location=(*location, "of"),
            )
        spoken = _stacks(fault, assembly, supported)
        readable = [layers for layers in spoken if not _OPAQUE.intersection(layers)]
        if supported and not readable:
            who = f"none of the devices of {fault.of}" if fault.of else "no stack of the study"
            how = ", or it is encrypted or in frames of WebSocket" if spoken else ""
            raise Fault(
                f"{who} sends {fault.message}{how}, so the fault can never happen",
                hint=f"add a stack of {fault.protocol}, or remove the fault",
                location=(*location, fault.kind),
            )


def _stacks(
    fault: AimedFaultForm, assembly: Assembly, arms: Sequence[StudyArm]
) -> list[tuple[str, ...]]:
    """Return the layers of every stack with the protocol of a fault."""
    groups = [group for group in assembly.groups if fault.of in (None, group.name)]
    stacks = (
        arm.stacks[group.client(server)]
        for arm in arms
        for group in groups
        for server in group.servers
    )
    return [tuple(stack.layers) for stack in stacks if stack.layers[0] == fault.protocol]

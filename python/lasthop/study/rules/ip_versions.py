"""Checks that each host needs only one IP version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack
    from lasthop.study.text.faults import Location


def check_ip_versions(assembly: Assembly, arm: StudyArm) -> None:
    """Check that each device and server uses a single IP version.

    Raises
    ------
    Fault
        With the place of the host that would need two.
    """
    if not arm.supported:
        return
    for group in assembly.groups:
        spoken = [arm.stacks[group.client(server)] for server in group.servers]
        _check(group.name, spoken, group.location)
    for server in assembly.servers:
        users = (group for group in assembly.groups if server.name in group.servers)
        spoken = [arm.stacks[group.client(server.name)] for group in users]
        _check(server.name, spoken, server.location)


def _check(host: str, spoken: Iterable[ResolvedStack], location: Location) -> None:
    versions = {stack.options.get("ip.version", "4"): stack for stack in spoken}
    if len(versions) > 1:
        names = " and ".join(stack.name for stack in versions.values())
        what = f"{host} has one IP version, but {names} need different ones"
        raise Fault(what, hint='write the same "ip.version" in both stacks', location=location)

"""On which ports a server listens, for which stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.stacks.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.study.stacks.arm import Arm
    from lasthop.study.stacks.notation import ResolvedStack

Spec = dict[str, Any]


def services(wanted: Iterable[Mapping[str, Any]], arm: Arm, names: Mapping[str, str]) -> list[Spec]:
    """Give what a server offers in an arm: groups that speak the same find one service.

    Parameters
    ----------
    wanted
        For each group that talks to the server, the name of its stack, and the ports that the study
        names by protocol and layers.
    names
        Of the stack of each group.
    """
    found: dict[tuple[str, ...], Spec] = {}
    for each in wanted:
        stack = arm.stacks[each["stack"]]
        port = port_of(stack, each["port"])
        found.setdefault(stack.layers, {"stack": names[each["stack"]], "port": port})
    return list(found.values())


def port_of(stack: ResolvedStack, ports: Mapping[str, int]) -> int:
    """Give the port of a stack's service: the one that the study names, or the usual one."""
    named = ports.get("/".join(stack.layers[:-1]))
    return named or catalogue().applications[stack.application].port

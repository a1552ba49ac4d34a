"""Services of a server: ports, stacks and processing times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.stacks.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

Spec = dict[str, Any]


def server_of_arm(server: Spec, arm: StudyArm, names: Mapping[str, str]) -> Spec:
    """Return a server in an arm, with its services and service times.

    Parameters
    ----------
    server
        The server in the conditions of a run.
    names
        Name of each group's stack.
    """
    offered = services(server["services"], arm, names)
    found = {**server, "services": offered}
    work = found.pop("service_time", None)
    if work is None or not offered:
        return found
    # What it offers beside takes as long: the study was held against that.
    stack = arm.stacks[offered[0]["stack"]]
    if stack.software is not None:
        return found
    times = work["of"]["/".join(stack.layers[:-1])]
    rest = {"workers": work["workers"], "queue_bytes": work["queue_bytes"]}
    return {**found, "service_time": {**times, **rest}}


def services(
    wanted: Iterable[Mapping[str, Any]], arm: StudyArm, names: Mapping[str, str]
) -> list[Spec]:
    """Return the services of a server in an arm. Groups with the same stack share one.

    Other options of a protocol have a listener of their own, at the next port that is free.

    Parameters
    ----------
    wanted
        For each group that talks to the server, the name of its stack, the ports that the study
        names by protocol and layers, and where each of these is, if it is somewhere else.
    names
        Name of each group's stack.
    """
    stacks: dict[str, ResolvedStack] = {}
    ports: Mapping[str, int] = {}
    at: Mapping[str, str] = {}
    for each in wanted:
        stacks.setdefault(names[each["stack"]], arm.stacks[each["stack"]])
        ports, at = each["port"], each.get("at", {})
    listening = listeners(stacks, ports)
    return [
        {"stack": name, "port": port, **_place(stacks[name], at)}
        for name, port in listening.items()
    ]


def listeners(stacks: Mapping[str, ResolvedStack], ports: Mapping[str, int]) -> dict[str, int]:
    """Return the port of each stack of a server, by the name of the stack.

    Parameters
    ----------
    ports
        Ports that the study sets, by protocol with layers.
    """
    usual = {name: port_of(stack, ports) for name, stack in stacks.items()}
    taken = {(stack.layers[-2], usual[name]) for name, stack in stacks.items()}
    found: dict[str, int] = {}
    protocols: set[tuple[str, ...]] = set()
    for name, stack in stacks.items():
        transport, port = stack.layers[-2], usual[name]
        if stack.layers in protocols:
            while (transport, port) in taken:
                port += 1
            taken.add((transport, port))
        protocols.add(stack.layers)
        found[name] = port
    return found


def port_of(stack: ResolvedStack, ports: Mapping[str, int]) -> int:
    """Return the port of a stack's service: from the study, or the default."""
    application, *layers, _ = stack.layers
    named = ports.get("/".join((application, *layers)))
    return named or catalogue().applications[application].ports["/".join(layers)]


def _place(stack: ResolvedStack, at: Mapping[str, str]) -> Spec:
    place = at.get("/".join(stack.layers[:-1]))
    return {} if place is None else {"at": place}

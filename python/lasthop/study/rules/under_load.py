"""Adapts a study to external servers under load: addresses and checks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.study.fleet.assembly import Group
from lasthop.study.fleet.devices import Arriving
from lasthop.study.paths.path import LinkForm
from lasthop.study.rules.socket_trust import SocketTrust, is_keyed
from lasthop.study.rules.software import sends_back
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.fleet.device import DeviceForm
    from lasthop.study.registered_devices import Registered
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

LOAD = "load"
"""Name of the engine that loads external servers from kernel sockets."""

HEARD_BY_ONE = 500
"""Maximum number of topics of one subscriber under load."""

_COMES_BACK = "round_trip"
_REPORT = "report"
_SOCKETS = ("tcp", "udp")
"""Layers that kernel sockets provide below lasthop's own layers."""
_PEERS = ("dds",)
"""Peer-to-peer protocols, which have no server to load."""

_OF_GATEWAYS = ("mqtt", "http")
"""Protocols of device gateways."""

_OF_TRANSPORT = re.compile(r"\b(?:tcp|udp|ip)\.\w+")


@dataclass(frozen=True, slots=True)
class Targets:
    """Addresses of the servers of a study.

    Parameters
    ----------
    at
        IP address and port of each server, by protocol with layers: ``mqtt/tcp``.
    refused
        Protocols for which nothing listens at the common address, with the reason.
    registered
        Registered devices of a device gateway; empty for other servers.
    device
        Default hardware limits of devices.
    names
        Host, and host with port, of each server as written, by the keys of ``at``.
    trust
        Trusted certificates and credentials of clients.
    """

    at: Mapping[str, str]
    refused: Mapping[str, str] = field(default_factory=dict)
    registered: Sequence[Registered] = ()
    device: DeviceForm | None = None
    names: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    trust: SocketTrust = field(default_factory=SocketTrust)

    @property
    def is_gateway(self) -> bool:
        """Return whether the server is a device gateway, which only acknowledges reports."""
        return bool(self.registered)

    def of(self, stack: ResolvedStack) -> str | None:
        """Return the server's address for a stack, or None."""
        return self.at.get("/".join(stack.layers[:-1]))

    def refusal(self, stack: ResolvedStack) -> str | None:
        """Explain why no server answers a stack; None if one may."""
        return self.refused.get("/".join(stack.layers[:-1]))


def loads(application: str, layers: Sequence[str]) -> bool:
    """Return whether a protocol with its layers works on kernel sockets."""
    return layers[-1] in _SOCKETS and application not in _PEERS


def arms_under_load(arms: Sequence[StudyArm], targets: Targets) -> tuple[StudyArm, ...]:
    """Return the arms under load, with the stacks of the subscribers added."""
    return tuple(_arm_under_load(arm, targets) for arm in arms)


def on_devices(assembly: Assembly, device: DeviceForm | None) -> Assembly:
    """Return the study with constrained devices. Groups with own limits keep them."""
    if device is None:
        return assembly
    groups = (replace(group, device=group.device or device) for group in assembly.groups)
    return replace(assembly, groups=tuple(groups))


def with_subscribers(assembly: Assembly) -> Assembly:
    """Return the study with subscribers that receive the reports from the server."""
    groups, flows = list(assembly.groups), []
    for flow in assembly.flows:
        if flow.traffic.kind != _REPORT or flow.is_relayed:
            flows.append(flow)
            continue
        senders = assembly.group_of(flow)
        name = subscribers_of(senders.name)
        if all(group.name != name for group in groups):
            groups.append(_subscribers(senders, name, flow.server))
        flows.append(replace(flow, receiver=name))
    return replace(assembly, groups=tuple(groups), flows=tuple(flows))


def subscribers_of(group: str) -> str:
    """Return the name of the subscribers to a group's reports."""
    return f"{group}_subscriber"


def check_load(assembly: Assembly, arms: Sequence[StudyArm], targets: Targets) -> None:
    """Check that the study has no simulated parts that external servers exclude.

    Raises
    ------
    Fault
        With the place of what does.
    """
    _check_path(assembly)
    _check_happenings(assembly)
    for group in assembly.groups:
        _check_group(group)
    if targets.is_gateway:
        _check_registered(assembly, len(targets.registered))
    for arm in arms:
        _check_keys(assembly, arm, targets)
    for flow in assembly.flows:
        _check_schedule(flow)
    check_flow = _check_flow_to_gateway if targets.is_gateway else _check_flow
    for arm in arms:
        for flow in assembly.flows if arm.supported else ():
            check_flow(flow, arm.stacks[assembly.group_of(flow).client(flow.server)])


def _check_schedule(flow: Flow) -> None:
    if flow.traffic.pause is not None:
        raise Fault(
            "a load is an open loop: it does not wait for answers",
            hint='write "every" instead of "pause"',
            location=(*flow.location, "pause"),
            at_key=True,
        )


def check_somebody_loads(arms: Sequence[StudyArm], targets: Targets) -> None:
    """Check that at least one stack of the study has a server to load.

    Raises
    ------
    EnvironmentFailure
        Nobody listens where its server is said to be.
    UsageError
        Its servers are said nowhere, or no stack of it can be on sockets.
    """
    if not arms or any(arm.supported for arm in arms):
        return
    for stack in (stack for arm in arms for stack in arm.stacks.values()):
        if why := targets.refusal(stack):
            raise EnvironmentFailure(f"--against: {why}; check that the server is running")
    message = f"--against: no stack of the study can be sent to a server: {arms[0].reason}"
    raise UsageError(message)


def unused(arms: Sequence[StudyArm]) -> tuple[str, ...]:
    """Return the transport options of stacks that kernel sockets do not support."""
    written = (option for arm in arms for option in _OF_TRANSPORT.findall(arm.written))
    return tuple(dict.fromkeys(written))


def _arm_under_load(arm: StudyArm, targets: Targets) -> StudyArm:
    def stack_under_load(stack: ResolvedStack) -> ResolvedStack:
        return replace(stack, reason=stack.reason or _why_not(stack, targets))

    stacks = {group: stack_under_load(stack) for group, stack in arm.stacks.items()}
    subscribers = {
        subscribers_of(group.partition(".")[0]): stack for group, stack in stacks.items()
    }
    return replace(
        arm,
        compared={group: stack_under_load(stack) for group, stack in arm.compared.items()},
        stacks={**stacks, **{name: it for name, it in subscribers.items() if name not in stacks}},
    )


def _why_not(stack: ResolvedStack, targets: Targets) -> str | None:
    if stack.software is not None or stack.client is not None:
        return "impl= starts real software only with --engine live; remove it"
    if stack.application in _PEERS:
        return f"{stack.application} has no server that can be loaded"
    if why := targets.refusal(stack):
        return why
    if targets.of(stack) is None:
        return f"no --against address fits {'/'.join(stack.layers[:-1])}"
    return targets.trust.why_not(stack)


def _subscribers(senders: Group, name: str, server: str) -> Group:
    devices = 1 if isinstance(senders.devices, Arriving) else senders.devices
    return Group(
        name=name,
        devices=max(1, math.ceil(devices / HEARD_BY_ONE)),
        path=senders.path,
        servers=(server,),
        location=senders.location,
        count_at=senders.count_at,
    )


def _check_path(assembly: Assembly) -> None:
    for hop in assembly.hops():
        if not isinstance(hop.settings, LinkForm) or hop.settings != LinkForm():
            what = "lasthop load uses the real network and cannot emulate a path"
            hint = 'remove it, or add --set "path={}"'
            raise Fault(what, hint=hint, location=hop.location, at_key=True)
    for server in assembly.servers:
        if server.forwards is not None:
            what = "lasthop load cannot run a simulated gateway"
            raise Fault(
                what, hint="let its devices use the server directly", location=server.location
            )


def _check_happenings(assembly: Assembly) -> None:
    for key, written in (("events", assembly.events), ("faults", assembly.faults)):
        if written:
            what = f"{key} are possible only in a simulation, and not with lasthop load"
            raise Fault(what, hint=f'remove it, or add --set "{key}=[]"', location=(key,))


def _check_group(group: Group) -> None:
    if isinstance(group.devices, Arriving):
        what, hint = (
            "lasthop load needs a fixed number of devices",
            'write it, for example "devices: 100"',
        )
        raise Fault(what, hint=hint, location=group.count_at)
    if group.energy is not None:
        what, hint = "lasthop load cannot measure energy", "remove it"
        raise Fault(what, hint=hint, location=("energy",))
    if group.tariff is not None:
        what = "lasthop load cannot compute a bill: it does not see packets"
        raise Fault(what, hint="remove it", location=("tariff",))


def _check_keys(assembly: Assembly, arm: StudyArm, targets: Targets) -> None:
    for group in assembly.groups if arm.supported else ():
        stacks = (arm.stacks[group.client(server)] for server in group.servers)
        if any(map(is_keyed, stacks)) and isinstance(group.devices, int):
            targets.trust.check_names(f"{group.name}-{it}" for it in range(group.devices))


def _check_flow(flow: Flow, stack: ResolvedStack) -> None:
    known = catalogue()
    kind, has_topics = flow.traffic.kind, known.applications[stack.application].has_topics
    echoes = sends_back(stack.application)
    if (flow.is_relayed and has_topics) or (kind == _COMES_BACK and echoes):
        return
    ways = list(_ways(has_topics=has_topics, echoes=echoes))
    what = f"the arrival of a {kind} of {stack.application} at a real server cannot be measured"
    raise Fault(what, hint=f"write {' or '.join(ways)}", location=(*flow.location, "kind"))


def _check_registered(assembly: Assembly, known: int) -> None:
    wanted = 0
    for group in assembly.groups:
        wanted += group.devices if isinstance(group.devices, int) else 0
        if wanted > known:
            what = f"the study has {wanted} devices, but --devices has only {known}"
            raise Fault(what, hint=f"write {known} or fewer", location=group.count_at)


def _check_flow_to_gateway(flow: Flow, stack: ResolvedStack) -> None:
    location = (*flow.location, "kind")
    if flow.traffic.kind != _REPORT or flow.is_relayed or stack.application not in _OF_GATEWAYS:
        what = (
            "a device gateway accepts only reports over mqtt and http, and this "
            f"flow is a {flow.traffic.kind}"
        )
        raise Fault(f"{what} of {stack.application}", hint=f'write "{_REPORT}"', location=location)
    if stack.options.get("qos") == "0":
        what = "a device gateway does not acknowledge a report of mqtt qos=0"
        raise Fault(what, hint="write mqtt qos=1", location=("stacks",))


def _ways(*, has_topics: bool, echoes: bool) -> Iterator[str]:
    if has_topics:
        yield f'"{_REPORT}", which our subscribers receive'
    if echoes:
        yield f'"{_COMES_BACK}"'

"""Checks for impossible runs: too many messages, a late event, a large download."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import FRACTION, TIME, format_quantity
from lasthop.study.fields.shares import Shares
from lasthop.study.fleet.devices import Arriving
from lasthop.study.fleet.service_time import check_service_time
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.paths.media import medium_of
from lasthop.study.paths.path import LinkForm
from lasthop.study.rules.downloads import check_download
from lasthop.study.rules.recurrences import check_times
from lasthop.study.run_spec.services import listeners
from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.traffic.session import session_words
from lasthop.study.traffic.traffic import MAXIMUM_MESSAGES_OF_A_DEVICE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.fleet.assembly import Assembly, Event, Flow, Hop, Server
    from lasthop.study.forms.timing import Timing
    from lasthop.study.paths.impairments import Outage
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.text.faults import Location

MAXIMUM_MESSAGES = 10**9

MAXIMUM_FLOWS = 9
"""Largest number of flows of a group."""

MAXIMUM_PORT = 65_535


def check_feasible(assembly: Assembly, spans: Timing) -> None:
    """Check for impossible settings before the first run.

    Raises
    ------
    Fault
        With the place of what is asked for.
    """
    _check_hop_names(assembly)
    for flow in assembly.flows:
        _check_flow(flow, assembly, spans)
        _check_session(flow, assembly)
        _check_share(flow, assembly)
    for group in assembly.groups:
        if len(beyond := assembly.flows_of(group)[MAXIMUM_FLOWS:]) > 0:
            what = f"{group.name} has more than {MAXIMUM_FLOWS} flows"
            raise Fault(what, hint="divide it into two groups", location=beyond[0].location)
    _check_sum(assembly, spans)
    for event in assembly.events:
        _check_event(event, assembly, spans)
    for hop in assembly.hops():
        _check_outages(hop, assembly, spans)


def check_services(assembly: Assembly, arm: StudyArm) -> None:
    """Check that each service of an arm has a port of its own.

    Raises
    ------
    Fault
        If two protocols listen on one.
    """
    for server in assembly.servers if arm.supported else ():
        used: dict[tuple[str, int], tuple[str, ...]] = {}
        users = (group for group in assembly.groups if server.name in group.servers)
        spoken = (arm.stacks[group.client(server.name)] for group in users)
        stacks = {stack.resolved: stack for stack in spoken}
        for name, port in listeners(stacks, server.ports).items():
            layers = stacks[name].layers
            if port > MAXIMUM_PORT:
                what = f"no port is left for the further options of {'/'.join(layers[:-1])}"
                hint = f'write "services: {{{"/".join(layers[:-1])}: {port - len(stacks)}}}", say'
                raise Fault(what, hint=hint, location=(*server.location, "services"))
            other = used.setdefault((layers[-2], port), layers)
            if other != layers:
                raise Fault(
                    f"port {port} of {server.name} is used twice, by {'/'.join(other[:-1])} and "
                    f"{'/'.join(layers[:-1])}",
                    hint=f'write "services: {{{"/".join(layers[:-1])}: {port + 1}}}", say',
                    location=(*server.location, "services") if server.location else (),
                )
        _check_named_ports(server)
        check_service_time(server, stacks.values())


def _check_hop_names(assembly: Assembly) -> None:
    """Raise an error if two hops share a name, because names identify random streams."""
    seen: dict[tuple[str, str], Hop] = {}
    for hop in assembly.hops():
        other = seen.setdefault((hop.name, hop.kind), hop)
        if other is not hop and not _are_one(other, hop):
            raise Fault(
                f"two hops have the name {show(hop.name)}",
                hint='give one of them another name, for example "name: wan"',
                location=hop.location,
            )


def _are_one(hop: Hop, other: Hop) -> bool:
    """Return whether two hops are one shared medium of several paths."""
    medium = medium_of(hop.settings)
    if medium is None or medium.shared is None:
        return False
    if hop.scope != other.scope or medium.shared(hop.settings) != medium.shared(other.settings):
        noun = medium.noun.removeprefix("a ")
        hint = "write the same settings, or another name"
        if medium.apart:
            *first, last = medium.apart
            hint = f"write the same settings; only {', '.join(first)} and {last} may differ"
        raise Fault(
            f"the {noun} {show(hop.name)} has different settings on another path",
            hint=hint,
            location=other.location,
        )
    return hop.scope == "all"


def _check_new_path(event: Event, assembly: Assembly) -> None:
    """Raise an error if devices move to a path with coupling losses of another group."""
    group = assembly.group(event.form.target)
    for hop in assembly.paths.get(event.form.to or "", ()):
        strata = isinstance(hop.settings, Nbiot) and isinstance(hop.settings.coupling_loss, Shares)
        if strata and group is not None and group.path != event.form.to:
            raise Fault(
                f"{show(event.form.to)} has strata of coupling loss, and devices "
                "that move here would belong to none",
                hint='use a path with one coupling loss, for example "coupling_loss: 144 dB"',
                location=(*event.location, "to"),
            )


def _check_named_ports(server: Server) -> None:
    taken: dict[tuple[str, int], str] = {}
    for layers, port in server.ports.items():
        transport = layers.rpartition("/")[2]
        other = taken.setdefault((transport, port), layers)
        if other != layers:
            raise Fault(
                f"port {port} is used twice, by {other} and {layers}",
                hint="give one of them another port",
                location=(*server.location, "services"),
            )


def _check_flow(flow: Flow, assembly: Assembly, spans: Timing) -> None:
    traffic, devices = flow.traffic, assembly.group_of(flow).devices
    if traffic.kind == "download":
        check_download(flow, assembly, spans)
        return
    if isinstance(devices, Arriving):
        return
    if traffic.start >= spans.duration_ns:
        raise Fault(
            f"it starts after the end of the run at {format_quantity(spans.duration_ns, TIME)}",
            hint="write an earlier start, or a longer duration",
            location=(*flow.location, "start"),
        )
    if traffic.every is None and traffic.pause is None:
        raise Fault(
            'the key "every" is missing', hint='write "every: 250 ms"', location=flow.location
        )
    if (
        traffic.every is not None
        and traffic.batch > 1
        and spans.duration_ns // traffic.every < traffic.batch
    ):
        raise _too_large_a_batch(spans.duration_ns // traffic.every, flow)
    messages = _messages(flow, spans) * assembly.audience_of(flow)
    if messages > MAXIMUM_MESSAGES_OF_A_DEVICE:
        raise _too_many(messages, "a device", MAXIMUM_MESSAGES_OF_A_DEVICE, flow)


def _too_large_a_batch(readings: int, flow: Flow) -> Fault:
    """Return the error on a batch that no run fills, and that is therefore never sent."""
    return Fault(
        f"a run has {readings} readings of a device, and none is sent before {flow.traffic.batch}",
        hint=f'write "batch: {readings}" or less' if readings > 1 else "remove it",
        location=(*flow.location, "batch"),
    )


def _check_share(flow: Flow, assembly: Assembly) -> None:
    """Check that at least one device takes part in the flow."""
    group = assembly.group_of(flow)
    if flow.share == 1.0:
        return
    if isinstance(group.devices, Arriving):
        what = "devices that come and go all have something to say"
        hint = f'write "{group.name}"'
    elif group.devices * flow.share >= 1:
        return
    elif group.devices == 0:
        what, hint = f"there is nobody in {group.name}", "write a count of 1 or more"
    else:
        what = f"the share of {group.devices} devices is less than one"
        hint = f'write "{math.ceil(100 / group.devices)} % of {group.name}" or more'
    raise Fault(
        what,
        hint=hint,
        location=(*flow.location, "to" if flow.traffic.begins_at_server else "from"),
    )


def _check_session(flow: Flow, assembly: Assembly) -> None:
    """Check the session of a flow against that of the group's other flows."""
    session, own = assembly.session_of(flow), flow.traffic.session
    if own != "keep" and not assembly.is_opened_by_devices(flow):
        raise Fault(
            "this flow cannot have a session, because the devices do not send its messages",
            hint="remove it",
            location=(*flow.location, "session"),
            at_key=True,
        )
    if own == session or (flow.traffic.begins_at_server and own == "keep"):
        return
    raise Fault(
        f"{session_words(own)} differs from {session_words(session)}, which another "
        "flow of the group has",
        hint="write the same, or divide it into two groups",
        location=(*flow.location, "session"),
    )


def _check_sum(assembly: Assembly, spans: Timing) -> None:
    total = 0
    for flow in assembly.flows:
        devices = assembly.group_of(flow).devices
        if isinstance(devices, Arriving):
            continue
        messages = _messages(flow, spans) * assembly.audience_of(flow)
        total += int(messages * devices * flow.share)
        if total > MAXIMUM_MESSAGES:
            raise _too_many(total, "a run", MAXIMUM_MESSAGES, flow)


def _messages(flow: Flow, spans: Timing) -> int:
    return flow.traffic.messages_within(spans.duration_ns)


def _too_many(messages: int, sender: str, most: int, flow: Flow) -> Fault:
    return Fault(
        f"{sender} would send {messages} messages, more than {most}",
        hint="write a longer interval" if flow.traffic.pause is None else "write a longer pause",
        location=(*flow.location, "every" if flow.traffic.pause is None else "pause"),
    )


def _check_event(event: Event, assembly: Assembly, spans: Timing) -> None:
    form = event.form
    if form.first >= spans.duration_ns:
        key = "every" if form.start is None else "start"
        earlier = "a shorter every" if form.start is None else "an earlier start"
        raise Fault(
            f"the event is after the end of the run at {format_quantity(spans.duration_ns, TIME)}",
            hint=f"write {earlier}, or a longer duration",
            location=(*event.location, key),
        )
    servers = [server.name for server in assembly.servers]
    groups = [group.name for group in assembly.groups]
    hops = [hop.name for hop in assembly.hops()]
    known = {
        "outage": [*servers, *assembly.paths, *hops, *groups],
        "power_cut": groups,
        "new_address": groups,
        "change_path": groups,
        "handover": groups,
        "restart": [*servers, *groups],
    }[form.kind]
    if form.target not in known:
        nouns = {"outage": "server, path, hop or group", "restart": "server or group"}
        raise Fault(
            f"there is no {nouns.get(form.kind, 'group')} {show(form.target)}",
            hint=suggestion(form.target, list(dict.fromkeys(known)), kind="names"),
            location=(*event.location, form.kind),
        )
    _check_it_starts_again(event, spans)
    if form.to is not None and form.to not in assembly.paths:
        raise Fault(
            f"there is no path {show(form.to)}",
            hint=suggestion(form.to, assembly.paths, kind="paths"),
            location=(*event.location, "to"),
        )
    _check_new_path(event, assembly)
    group = assembly.group(form.target)
    if group is None:
        _check_whole(event)
        _check_shared_times(event)
        check_times(event, 1, spans)
        return
    moves = [one.form for one in assembly.events if one.form.target == group.name]
    if form.to == group.path and all(move.to in (None, form.to) for move in moves):
        raise Fault(
            f"{group.name} are already on the path {show(group.path)}",
            hint="write another path",
            location=(*event.location, "to"),
        )
    if not isinstance(group.devices, Arriving):
        _check_somebody(event, group.devices)
        check_times(event, int(group.devices * form.share + 0.5), spans)


def _check_it_starts_again(event: Event, spans: Timing) -> None:
    """Raise an error if a restart lasts beyond the end of the run."""
    form, end_ns = event.form, spans.duration_ns + spans.drain_ns
    if form.kind == "restart" and form.lasts is not None and form.first + form.lasts >= end_ns:
        left = format_quantity(max(1, end_ns - form.first), TIME)
        raise Fault(
            f"a restart of {format_quantity(form.lasts, TIME)} does not end within "
            f"the run, which lasts for another {left}",
            hint=f'write less than {left}, or use "outage" for a server that does not come back',
            location=(*event.location, "for"),
        )


def _check_outages(hop: Hop, assembly: Assembly, spans: Timing) -> None:
    """Raise an error if an outage of a link begins after the last message.

    Those of a profile are for runs of any length, and noted.
    """
    if not isinstance(hop.settings, LinkForm) or hop.settings.profile is not None:
        return
    for location, _, end_ns in late_outages(hop, assembly, spans):
        raise Fault(
            f"it begins after the end of the run at {format_quantity(end_ns, TIME)}",
            hint="write an earlier start, or a longer duration",
            location=(*location, "start"),
        )


def late_outages(
    hop: Hop, assembly: Assembly, spans: Timing
) -> Iterator[tuple[Location, int, int]]:
    """Yield outages that begin after the end: location, start and end of sending in ns."""
    if not isinstance(hop.settings, LinkForm):
        return
    end_ns = spans.duration_ns + (spans.set_up_ns if assembly.begins_established else 0)
    up, down = hop.settings.up.outages, hop.settings.down.outages
    sides: list[tuple[Location, list[Outage]]] = [((), up)]
    if up != down:
        sides = [(("up",), up), (("down",), down)]
    for side, outages in sides:
        for place, outage in enumerate(outages):
            if outage.start >= end_ns:
                yield (*hop.location, *side, "outages", place), outage.start, end_ns


def _check_whole(event: Event) -> None:
    """Raise an error for a share of something that is not a group."""
    if event.form.share != 1.0:
        raise Fault(
            "a share is not possible for a server",
            hint=f'write "{event.form.target}"',
            location=(*event.location, event.form.kind),
        )


def _check_shared_times(event: Event) -> None:
    """Raise an error for own times of something that is not a group."""
    if event.form.has_own_times:
        raise Fault(
            f"only devices have times of their own, and {show(event.form.target)} is not a group",
            hint='remove it, or write the name of a group, for example "outage: device"',
            location=(*event.location, "times"),
            at_key=True,
        )


def _check_somebody(event: Event, devices: int) -> None:
    """Check that the share of a group is at least one device after rounding."""
    share, name = event.form.share, event.form.target
    if devices == 0:
        raise Fault(
            f"the group {name} has no devices",
            hint=f"write a count of 1 or more, or remove the {event.form.kind}",
            location=(*event.location, event.form.kind),
        )
    if int(devices * share + 0.5) == 0:
        raise Fault(
            f"{format_quantity(share, FRACTION)} of {devices} devices is less than one device",
            hint=f'write "{math.ceil(100 / devices)} % of {name}" or more',
            location=(*event.location, event.form.kind),
        )

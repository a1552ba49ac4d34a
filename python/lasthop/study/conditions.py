"""Describes the base settings of a study, for the report and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import ARRIVALS, FRACTION, SIZE, TIME, format_quantity
from lasthop.study.fleet.devices import Arriving
from lasthop.study.fleet.energy import describe_energy
from lasthop.study.forms.long_form import LongForm
from lasthop.study.forms.timing import timing
from lasthop.study.paths.link_profiles import link_profile
from lasthop.study.paths.media import medium_of
from lasthop.study.paths.path import LinkForm, Nat
from lasthop.study.traffic.payload import FieldsPayload
from lasthop.study.traffic.session import session_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.study.fleet.assembly import Assembly, Forwards, Group, Hop
    from lasthop.study.fleet.events import EventForm
    from lasthop.study.forms.model import StudyForm
    from lasthop.study.forms.timing import Timing
    from lasthop.study.traffic.traffic import Traffic


def describe(form: StudyForm, *, quick: bool = False) -> dict[str, str]:
    """Return each base setting as text, in reading order."""
    spans, assembly = timing(form, quick=quick), form.assemble()
    named = isinstance(form, LongForm)
    described = _who(assembly, named=named)
    for flow in assembly.flows:
        through = f" through {flow.server}" if flow.is_relayed else ""
        to = f"all of {flow.receiver}" if flow.to_all else flow.receiver
        ends = f"{flow.sender} to {to}{through}: " if named else ""
        about = f", about {flow.resource}" if flow.resource else ""
        share = f", {_percent(flow.share)} of the devices" if flow.share != 1.0 else ""
        described[flow.name if named else "traffic"] = ends + _traffic(flow.traffic) + about + share
    described |= {
        "duration": _time(spans.duration_ns),
        "warm-up": _time(spans.warm_up_ns),
        "drain": _time(spans.drain_ns),
    }
    if form.engine != "virtual":
        described["engine"] = form.engine.replace("_", " ")
    if form.measure.overload == "allow":
        described["overload"] = "allowed"
    if form.credentials is not None:
        server = form.credentials.server
        described["credentials"] = "of files" + ("" if server is None else f", for {server.name}")
    for group in assembly.groups:
        if group.energy is not None:
            described |= _under(
                group.name if named else "", {"energy": describe_energy(group.energy)}
            )
    described |= _happenings(form, spans)
    for name, hops in assembly.paths.items():
        alone = len({hop.name for hop in hops}) == 1
        for hop in hops:
            above = (name if named else "") if alone else hop.name
            described |= _under(above, _hop(hop))
    return described


def _happenings(form: StudyForm, spans: Timing) -> dict[str, str]:
    """Describe events and faults in the middle of a run."""
    within = [event for event in form.events if event.first < spans.duration_ns]
    happenings = {
        "events": "; ".join(map(_event, within)),
        "faults": "; ".join(fault.words() for fault in form.faults),
    }
    return {key: words for key, words in happenings.items() if words}


def _who(assembly: Assembly, *, named: bool) -> dict[str, str]:
    described: dict[str, str] = {}
    for group in assembly.groups:
        if not group.is_gateway:
            described |= _under(group.name if named else "", _group(group, named=named))
    for server in assembly.servers:
        if server.device is not None:
            described |= _under(server.name, {"device": server.device.words()})
        if server.forwards is not None:
            described[server.name] = _gateway(server.forwards)
    return described


def _under(name: str, described: Mapping[str, str]) -> dict[str, str]:
    """Return the settings with a prefix before each name."""
    return {f"{name}: {key}" if name else key: words for key, words in described.items()}


def _group(group: Group, *, named: bool) -> dict[str, str]:
    words = _devices(group.devices)
    if group.weight != 1.0 and isinstance(group.devices, int):
        words = f"{round(group.devices * group.weight)}, of which {words} are simulated"
    described = {"devices": words}
    if group.strata:
        described["strata"] = ", ".join(f"{one.devices} at {one.name}" for one in group.strata)
    if group.device is not None:
        described["device"] = group.device.words()
    if named:
        described["path"] = group.path
        described["server"] = ", ".join(group.servers)
    return described


def _gateway(forwards: Forwards) -> str:
    if forwards.cache is not None:
        words = f"a caching proxy for {forwards.to}, path {forwards.path}"
        words += f", keeps {format_quantity(forwards.cache, SIZE)}"
        if forwards.stale_if_error_ns:
            words += f", stale for {_time(forwards.stale_if_error_ns)} on an error"
        return words
    words = f"a gateway, forwards to {forwards.to}, path {forwards.path}"
    if forwards.batch > 1:
        words += f", up to {forwards.batch} in a message, within {_time(forwards.wait_ns)}"
    return f"{words}, room for {forwards.room}"


def _hop(hop: Hop) -> dict[str, str]:
    settings = hop.settings
    medium = medium_of(settings)
    if medium is not None:
        return medium.words(settings) | (_scope(hop) if medium.takes_scope else {})
    if isinstance(settings, Nat):
        nat = f"UDP mappings time out after {_time(settings.udp)}"
        if settings.rebind_every is not None:
            nat += f", change every {_time(settings.rebind_every)}"
        return {"NAT": nat} | _scope(hop)
    profile = {} if settings.profile is None else _profile(settings.profile)
    link: dict[str, str] = settings.link_words()
    return profile | link | _scope(hop)


def _scope(hop: Hop) -> dict[str, str]:
    words = {"group": "one for its group", "all": "one for all"}
    if hop.scope not in words:
        return {}
    scope = words[hop.scope]
    if isinstance(hop.settings, LinkForm) and hop.settings.has_a_free_bottleneck:
        scope += "; only the simulated devices load it"
    return {"scope": scope}


def _profile(name: str) -> dict[str, str]:
    profile = link_profile(name)
    described = {
        "profile": f"{name} ({profile.confidence}; weak: {', '.join(profile.weak)})",
        "source": "; ".join(profile.source),
    }
    if profile.first_packet is not None:
        described["first packet, left out"] = profile.first_packet
    return described


def _devices(devices: int | Arriving) -> str:
    if not isinstance(devices, Arriving):
        return str(devices)
    arrive = format_quantity(devices.arrive, ARRIVALS)
    stay = f"stay {_time(devices.linger)} after, give up after {_time(devices.give_up)}"
    return f"{arrive} arrive in {'each cell' if devices.per == 'cell' else 'the network'}, {stay}"


def _time(ns: int) -> str:
    return format_quantity(ns, TIME)


def _percent(fraction: float) -> str:
    return format_quantity(fraction, FRACTION)


def _traffic(traffic: Traffic) -> str:
    payload = traffic.payload
    if not isinstance(payload, FieldsPayload):
        size = format_quantity(payload, SIZE)
    elif payload.size is not None:
        size = f"{format_quantity(payload.size, SIZE)} of JSON"
    else:
        form = {"json": "JSON", "cbor": "CBOR", "protobuf": "protobuf"}[payload.encoding]
        deflated = "deflated " if payload.compression == "deflate" else ""
        size = f"{deflated}{form} fields {payload.names()}"
    if traffic.pause is not None:
        return _closed_loop(traffic, size)
    if traffic.every is None:
        return f"{traffic.kind.replace('_', ' ')} of {size}, one a device" + _policy(traffic)
    rhythm = "every" if traffic.arrivals == "periodic" else "at random, on average every"
    words = f"{traffic.kind.replace('_', ' ')} of {size} {rhythm} {_time(traffic.every)}"
    if traffic.burst > 1:
        words += f", {traffic.burst} at a time"
    if traffic.start:
        words += f", from {_time(traffic.start)} on"
    if traffic.at is not None:
        words += f", {_time(traffic.at)} after the start of each period"
    if traffic.spread:
        words += f", devices start within {_time(traffic.spread)}"
    elif traffic.spread is None and not traffic.is_in_step:
        words += ", each device at a moment of its own"
    return words + _policy(traffic)


def _closed_loop(traffic: Traffic, size: str) -> str:
    end = "acknowledgement" if traffic.kind == "report" else "answer"
    words = f"{traffic.kind.replace('_', ' ')} of {size}"
    if traffic.messages is not None:
        words += f", {traffic.messages} a device"
    words += f", each {_time(traffic.pause or 0)} after the {end} of the last one"
    words += f", which is given up after {_time(traffic.gives_up_after)}"
    if traffic.start:
        words += f", from {_time(traffic.start)} on"
    if traffic.spread:
        words += f", devices start within {_time(traffic.spread)}"
    return words + _policy(traffic)


def _policy(traffic: Traffic) -> str:
    words = f", {traffic.batch} in a message" if traffic.batch > 1 else ""
    if traffic.session != "keep":
        words += f", session {session_words(traffic.session).replace('_', ' ')}"
    return words


def _event(event: EventForm) -> str:
    who = event.target
    if event.share != 1.0:
        who = f"{_percent(event.share)} of {who}"
    words = f"{_when(event)} {event.kind.replace('_', ' ')} of {who}"
    if event.has_own_times:
        words += ", each at its own times,"
    if event.to is not None:
        words += f" to {event.to}"
    if event.lasts is not None:
        words += f" for {_time(event.lasts)}"
    if event.spread is not None:
        words += f", back within {_time(event.spread)}"
    if event.survives is not None:
        words += f", {event.survives} survive{'s' if event.survives == 'nothing' else ''}"
    if event.gap is not None:
        words += f" with a gap of {_time(event.gap)}"
    if event.address == "kept":
        words += ", the address is kept"
    if event.notify == "application":
        words += ", applications are notified"
    return words


def _when(event: EventForm) -> str:
    if event.every is None:
        return f"after {_time(event.first)}"
    if event.is_random:
        words = f"at random, on average every {_time(event.every)},"
        return words if event.first == 0 else f"after {_time(event.first)} {words}"
    return f"after {_time(event.first)} and every {_time(event.every)} from then on"

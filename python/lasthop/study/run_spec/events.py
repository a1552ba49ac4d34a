"""Converts events to their form in a run spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Event
    from lasthop.study.fleet.events import EventForm
    from lasthop.study.forms.timing import Timing

Spec = dict[str, Any]

_SECOND_NS = 10**9

_RESTART_NS = 5 * _SECOND_NS
"""Default duration of a restart in ns."""

_SPREAD_NS = 10 * _SECOND_NS
"""Default spread of the return times of hosts after an event, in ns."""


def event_spec(event: Event, assembly: Assembly, spans: Timing) -> Spec:
    """Return an event as part of the run spec, with all defaults."""
    form = event.form
    # What is set up before the run comes before its beginning.
    begin_ns = spans.set_up_ns if assembly.begins_established else 0
    return {
        "at_ns": begin_ns + form.first,
        "change": {_kind(form, assembly): _change(form, assembly)},
        # Left out where it happens once, as the run spec has it.
        **_again(form, begin_ns + spans.duration_ns),
    }


def _again(form: EventForm, until_ns: int) -> Spec:
    if form.every is None:
        return {}
    # Left out where all devices have the same times, likewise.
    until = {"until_ns": until_ns, **({"own": True} if form.has_own_times else {})}
    if form.is_random:
        return {"again": {"poisson": {"mean_ns": form.every, **until}}}
    return {"again": {"periodic": {"every_ns": form.every, **until}}}


def _kind(form: EventForm, assembly: Assembly) -> str:
    return "device_outage" if _is_outage_of_devices(form, assembly) else form.kind


def _is_outage_of_devices(form: EventForm, assembly: Assembly) -> bool:
    """Return whether an outage is one of devices: nothing else has the name of their group."""
    name = form.target
    servers = [server.name for server in assembly.servers]
    hops = [hop.name for hop in assembly.hops()]
    is_other = name in (*servers, *assembly.paths, *hops)
    return form.kind == "outage" and not is_other and assembly.group(name) is not None


def _change(form: EventForm, assembly: Assembly) -> Spec:
    match form.kind:
        case "outage" if _is_outage_of_devices(form, assembly):
            return {"of": _devices(form), "duration_ns": form.lasts}
        case "outage":
            return {"of": _outage_of(form.target, assembly), "duration_ns": form.lasts}
        case "power_cut":
            return {"of": _devices(form), "back": _back(form, _SPREAD_NS)}
        case "restart" if assembly.group(form.target) is None:
            return {"of": {"server": form.target}, "back": _back(form, 0)}
        case "restart":
            return {"of": {"devices": _devices(form)}, "back": _back(form, _SPREAD_NS)}
        case "new_address" | "change_path" | "handover":
            return _move(form)


def _move(form: EventForm) -> Spec:
    move = {"of": _devices(form), "notify": form.notify or "none"}
    if form.kind == "change_path":
        return {**move, "to": form.to}
    if form.kind == "handover":
        return {**move, "gap_ns": form.gap, "address": form.address or "new"}
    return move


def _outage_of(name: str, assembly: Assembly) -> Spec:
    if any(server.name == name for server in assembly.servers):
        return {"server": name}
    return {"path": name} if name in assembly.paths else {"hop": name}


def _devices(form: EventForm) -> Spec:
    return {"group": form.target, "share": form.share}


def _back(form: EventForm, spread_ns: int) -> Spec:
    return {
        "duration_ns": _RESTART_NS if form.lasts is None else form.lasts,
        "spread_ns": spread_ns if form.spread is None else form.spread,
        "survives": form.survives or "nothing",
    }

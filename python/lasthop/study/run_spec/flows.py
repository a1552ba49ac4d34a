"""Converts flows to their form in a run spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.traffic.payload import FieldsPayload
from lasthop.study.traffic.session import ForTime

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.traffic.session import SessionPolicy
    from lasthop.study.traffic.traffic import Traffic

Spec = dict[str, Any]


def flow_spec(flow: Flow, assembly: Assembly, duration_ns: int) -> Spec:
    """Return a flow with its duration as part of the run spec."""
    traffic, group = flow.traffic, assembly.group_of(flow)
    session = assembly.session_of(flow)
    start_ns, spread_ns = traffic.start, traffic.spread_within(duration_ns)
    if start_ns >= duration_ns:
        # A quick look ends before: it begins in its middle.
        start_ns = duration_ns // 2
    if traffic.kind == "download":
        # What is left of the run is for the file itself.
        duration_ns -= start_ns
    return {
        "name": flow.name,
        "from": flow.sender,
        "to": flow.receiver,
        "client": group.servers.index(flow.server),
        "kind": _kind(flow),
        "payload": _payload(traffic.payload),
        "arrivals": _arrivals(traffic, duration_ns),
        "burst": traffic.burst,
        "start_ns": start_ns + (traffic.at or 0),
        "spread_ns": spread_ns,
        "duration_ns": duration_ns,
        "session": _session(session),
        "batch": traffic.batch,
        **({} if traffic.within is None else {"within_ns": traffic.within}),
        "share": flow.share,
        **({} if flow.resource is None else {"resource": flow.resource}),
    }


def _kind(flow: Flow) -> str:
    if flow.is_relayed:
        return "relay_to_all" if flow.to_all else "relay"
    return flow.traffic.kind


def _session(session: SessionPolicy) -> Spec | str:
    if isinstance(session, ForTime):
        return {"for_ns": session.ns}
    return {"per": session} if isinstance(session, int) else session


def _payload(payload: int | FieldsPayload) -> Spec:
    if isinstance(payload, FieldsPayload):
        fields = payload.text()
        if payload.is_plain:
            return {"json": {"fields": fields, "bytes": payload.size}}
        how = {"encoding": payload.encoding, "deflate": payload.compression == "deflate"}
        return {"encoded": {"fields": fields, **how, "bytes": payload.encoded_bytes}}
    return {"text": {"bytes": payload}}


def _arrivals(traffic: Traffic, duration_ns: int) -> Spec | str:
    if traffic.pause is not None:
        loop = {"pause_ns": traffic.pause, "give_up_ns": traffic.gives_up_after}
        return {"paused": {**loop, "messages": traffic.messages}}
    if traffic.kind == "download" and traffic.every is None:
        return {"periodic": {"every_ns": duration_ns}}
    if traffic.every is None:
        return "once"
    if traffic.arrivals == "periodic":
        return {"periodic": {"every_ns": traffic.every}}
    return {"poisson": {"mean_ns": traffic.every}}

"""Resolves the two ends of a named flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fleet.assembly import Flow
from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.traffic.traffic import FROM_SERVER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lasthop.study.traffic.ends import End
    from lasthop.study.traffic.flow import FlowForm


def flow_of(
    form: FlowForm, *, name: str, groups: Mapping[str, str | None], servers: Sequence[str]
) -> Flow:
    """Return a flow with its sender and receiver resolved.

    Parameters
    ----------
    groups
        Groups with their default server; None if the flow must name it.

    Raises
    ------
    Fault
        If an end does not exist, or the flow joins what it cannot.
    """
    location = ("traffic", name)
    from_server = form.kind in FROM_SERVER
    ends = {"from": form.sender, "to": form.receiver}
    device_key, server_key = ("to", "from") if from_server else ("from", "to")
    device, server = ends[device_key], ends[server_key]
    if device is None:
        what = (
            f"the group that the {form.kind} "
            f"{'goes to' if from_server else 'comes from'} is missing"
        )
        hint = f'write "{device_key}: {next(iter(groups))}"'
        raise Fault(what, hint=hint, location=location)
    try:
        _check_all(ends, groups, form.kind)
        _check_devices(device, device_key, groups, servers, form.kind)
        if server is not None:
            _check_other(server, server_key, groups, servers, (form.kind, device.name))
    except Fault as fault:
        raise fault.within(location) from None
    usual = groups[device.name]
    is_relayed = server is not None and server.name in groups
    if usual is None and (server is None or is_relayed):
        what = f"the server of {device.name} is missing, and the study has {len(servers)} servers"
        hint = f'write "server: {servers[0]}"'
        raise Fault(what, hint=hint, location=("fleet", device.name))
    other = server.name if server is not None else str(usual)
    sender, receiver = (other, device.name) if from_server else (device.name, other)
    return Flow(
        name=name,
        sender=sender,
        receiver=receiver,
        server=str(usual) if is_relayed else other,
        traffic=form,
        location=location,
        share=device.share,
        to_all=server is not None and server.to_all,
        resource=form.resource,
    )


def _check_all(ends: Mapping[str, End | None], groups: Mapping[str, str | None], kind: str) -> None:
    for key, end in ends.items():
        if end is None or not end.to_all:
            continue
        if key == "from" or kind != "report" or end.name not in groups:
            what = 'only a report to a group can have "all of"'
            raise Fault(what, hint=f'write "{key}: {end.name}"', location=(key,))


def _check_devices(
    end: End, key: str, groups: Mapping[str, str | None], servers: Sequence[str], kind: str
) -> None:
    if end.name in groups:
        return
    if end.name in servers:
        verb, other = ("goes to", "report") if key == "to" else ("comes from", "command")
        what = f"a {kind} {verb} devices, but {show(end.name)} is a server"
        hint = f'write the name of a group, or "{other}: 40 B"'
        raise Fault(what, hint=hint, location=(key,))
    hint = suggestion(end.name, groups, kind="groups")
    raise Fault(f"there is no group {show(end.name)}", hint=hint, location=(key,))


def _check_other(
    end: End,
    key: str,
    groups: Mapping[str, str | None],
    servers: Sequence[str],
    flow: tuple[str, str],
) -> None:
    kind, device = flow
    if end.name in groups and kind != "report":
        what = f"both ends are groups, but one end of a {kind} is a server"
        hint = f"write one of the servers {', '.join(servers)}"
        raise Fault(what, hint=hint, location=(key,))
    if end.name == device:
        what = f"the group {device} would send reports to itself"
        raise Fault(what, hint="write a server or another group", location=(key,))
    if end.name in groups and end.share != 1.0:
        what = "a report cannot go to a share of a group"
        hint = f'write "{key}: {end.name}" for one device in turn, or "{key}: all of {end.name}"'
        raise Fault(what, hint=hint, location=(key,))
    if end.name in groups:
        return
    if end.name not in servers:
        hint = suggestion(end.name, servers, kind="servers")
        raise Fault(f"there is no server {show(end.name)}", hint=hint, location=(key,))
    if end.share != 1.0:
        raise Fault(
            "a share is not possible for a server",
            hint=f'write "{key}: {end.name}"',
            location=(key,),
        )

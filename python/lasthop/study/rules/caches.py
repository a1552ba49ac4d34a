"""Checks of resources and caches: which stacks can use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

_SAYS_FRESHNESS = "max_age"
"""Option that sets the freshness (max-age) of an application's cacheable responses."""


def check_caches(assembly: Assembly, arm: StudyArm) -> None:
    """Check that both sides of a cache, and all users of a resource, use cacheable protocols.

    Raises
    ------
    Fault
        If a stack has no names for resources, or its server is real software, which has others.
    """
    if not arm.supported:
        return
    proxies = {
        server.name: server
        for server in assembly.servers
        if server.forwards is not None and server.forwards.cache is not None
    }
    for flow in assembly.flows:
        if flow.server in proxies or flow.resource is not None:
            stack = arm.stacks[assembly.group_of(flow).client(flow.server)]
            _check_flow(flow, stack)
            if flow.server not in proxies:
                _check_is_read(flow, assembly)
    for flow in assembly.flows:
        at = assembly.hears_at(flow) if flow.is_relayed else flow.server
        hearers = assembly.group(flow.receiver)
        if at != flow.server and hearers is not None:
            _check(
                arm.stacks[hearers.client(at)],
                f"the devices of {flow.name} communicate",
                flow.location,
            )
    for group in assembly.groups:
        proxy = proxies.get(group.name) if group.is_gateway else None
        if proxy is not None:
            stack = arm.stacks[group.client(group.servers[0])]
            _check(stack, f"{group.name} fetches", (*proxy.location, "forwards", "cache"))


def _check_flow(flow: Flow, stack: ResolvedStack) -> None:
    kind = flow.traffic.kind
    if flow.is_relayed or kind not in {"report", "download"}:
        what = f"only a download or a report has a resource, and this flow is a {kind}"
        raise Fault(what, hint="remove it", location=(*flow.location, "resource"), at_key=True)
    _check(stack, f"{flow.name} goes", flow.location)


def _check_is_read(flow: Flow, assembly: Assembly) -> None:
    """Raise an error if a resource is written but never read."""
    of_server = (other for other in assembly.flows if other.server == flow.server)
    if not any(other.traffic.kind == "download" for other in of_server):
        what = f"no flow downloads {show(str(flow.resource))} or anything else from {flow.server}"
        hint = 'remove it, or add a flow with "download: 45 B"'
        raise Fault(what, hint=hint, location=(*flow.location, "resource"), at_key=True)


def _check(stack: ResolvedStack, who: str, location: tuple[str | int, ...]) -> None:
    known = catalogue().applications
    if _SAYS_FRESHNESS not in {option.name for option in known[stack.application].options}:
        able = [
            name
            for name, application in known.items()
            if _SAYS_FRESHNESS in {option.name for option in application.options}
        ]
        what = f"{who} by {stack.application}, and a cache cannot keep its answers"
        raise Fault(what, hint=f"use the stack {' or '.join(able)}", location=location, at_key=True)
    if stack.software is not None:
        what = f"{stack.software} names its resources differently from the cache of the simulator"
        raise Fault(what, hint='remove "impl="', location=location, at_key=True)

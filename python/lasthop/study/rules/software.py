"""Checks of stacks with real server software."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lasthop.study.stacks.notation import with_our_ends
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

LIVE = "live"
"""Name of the engine for real software."""

_NEEDS_LIVE = "real software (impl=) runs only with --engine live"
_NEEDS_IPV4 = "real software (impl) over IPv6 is not built yet"
_FORWARDED = "round_trip"
_REPORT = "report"
_KEEPING = frozenset({"coap"})
"""Protocols whose servers store messages and do not return them to the sender."""


def on_engine(arms: Sequence[StudyArm], engine: str, *, modelled: bool) -> tuple[StudyArm, ...]:
    """Return the arms for an engine: with real software, or with simulated ends instead.

    Parameters
    ----------
    modelled
        Whether a simulated server replaces the software, as in the virtual half of a twin.
    """

    def stack_on_engine(stack: ResolvedStack) -> ResolvedStack:
        if stack.software is None and stack.client is None:
            return stack
        if modelled:
            return with_our_ends(stack)
        if engine != LIVE:
            return replace(stack, reason=stack.reason or _NEEDS_LIVE)
        if stack.options.get("ip.version") != "4":
            return replace(stack, reason=stack.reason or _NEEDS_IPV4)
        return stack

    return tuple(
        replace(
            arm,
            compared={group: stack_on_engine(stack) for group, stack in arm.compared.items()},
            stacks={group: stack_on_engine(stack) for group, stack in arm.stacks.items()},
        )
        for arm in arms
    )


def sends_back(application: str) -> bool:
    """Return whether real server software returns a device's own messages to it."""
    return application not in _KEEPING


def _acknowledges_what_it_keeps(stack: ResolvedStack) -> bool:
    """Return whether a device gateway acknowledges messages of real-software devices."""
    return stack.client is not None and stack.options.get("auth") == "jwt"


def check_software(assembly: Assembly, arm: StudyArm) -> None:
    """Check that real server software returns messages, because it cannot be observed.

    Raises
    ------
    Fault
        With the place of a flow or an event that only our own servers can have.
    """
    for flow in assembly.flows if arm.supported else ():
        stack = arm.stacks[assembly.group_of(flow).client(flow.server)]
        if stack.software is None or flow.is_relayed:
            continue
        kind, echoes = flow.traffic.kind, sends_back(stack.application)
        if kind == _REPORT and _acknowledges_what_it_keeps(stack):
            continue
        if kind == _FORWARDED and echoes:
            continue
        what = (
            (
                f"{stack.software} sends a report over {stack.application} only to "
                "clients that observe it"
            )
            if kind == _FORWARDED
            else f"the arrival of a {kind} in {stack.software} cannot be measured"
        )
        ways = [f'"kind: {_FORWARDED}"'] if echoes else []
        if stack.client is not None and kind == _REPORT:
            ways.append('"auth=jwt" in a stack with impl=gateway')
        ways.append('"report" from one group "to" another')
        raise Fault(what, hint=f"write {', or '.join(ways)}", location=(*flow.location, "kind"))
    software = {
        server: arm.stacks[group.client(server)].software
        for group in assembly.groups
        for server in group.servers
    }
    for event in assembly.events if arm.supported else ():
        named = software.get(event.form.target)
        if event.form.kind == "restart" and named is not None:
            what = (
                f"{show(event.form.target)} is {named}, and an event cannot restart real software"
            )
            hint = "remove the event, or remove impl="
            raise Fault(what, hint=hint, location=(*event.location, "restart"))

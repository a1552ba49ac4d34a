"""Checks that a closed loop has something to wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

_REMEDIES = {
    "mqtt": ("qos", "0", "write qos=1"),
    "coap": ("type", "non", "write type=con"),
    "raw_udp": ("ack", "off", "write ack=on"),
    "dds": ("reliability", "best_effort", "write reliability=reliable"),
}
"""By protocol: the option with which it acknowledges nothing, and what to write."""

_NEVER = frozenset({"json_udp", "raw_tcp"})
"""Protocols that acknowledge no message."""


def check_pauses(assembly: Assembly, arm: StudyArm) -> None:
    """Check that reports with a pause are acknowledged, and that our own devices send them.

    Raises
    ------
    Fault
        With the place of the pause, and the stack.
    """
    for flow in assembly.flows if arm.supported else ():
        if flow.traffic.pause is None:
            continue
        stack = arm.stacks[assembly.group_of(flow).client(flow.server)]
        location = (*flow.location, "pause")
        if stack.client is not None:
            raise Fault(
                f"{stack.client} devices send on a schedule that is made before the run",
                hint='write "every" instead of "pause", or remove client=',
                location=location,
                at_key=True,
            )
        remedy = None if flow.traffic.kind != "report" else _remedy(stack)
        if remedy is not None:
            raise Fault(
                f"a report of {stack.application} is not acknowledged here, so no pause follows it",
                hint=f'{remedy}, or "every" instead of "pause"',
                location=location,
                at_key=True,
            )


def _remedy(stack: ResolvedStack) -> str | None:
    """Return what makes a stack acknowledge a report; None if it does."""
    if stack.application in _NEVER:
        return 'write "round_trip" instead of "report"'
    option, value, remedy = _REMEDIES.get(stack.application, ("", "", ""))
    return remedy if option and stack.options.get(option) == value else None

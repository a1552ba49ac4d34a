"""What a study can say and no run can do yet: the one table of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.assembly import Assembly, Flow
    from lasthop.study.faults import Location

NOT_BUILT: dict[str, str] = {
    "pull": 'write "report: 96 B"',
    "download": 'write "command: 40 B"',
    "batch": "remove it, or write a larger payload",
    "session per_message": 'write "session: keep"',
    "session per N": 'write "session: keep"',
    "share": "name the whole group, or make a group of its own of the share",
    "outage": 'write "outages" at the path: [{start: 7 s, for: 30 s}]',
    "power_cut": "remove it",
    "new_address": 'write "rebind_every" at a NAT',
    "change_path": "remove it",
    "restart": "remove it",
}
"""What to write instead of each, by its name. A line goes when a run can do it."""


def check_built(assembly: Assembly) -> None:
    """Refuse what no run can do yet.

    Raises
    ------
    Fault
        With the place of the first of it.
    """
    for feature, location in _features(assembly):
        if feature in NOT_BUILT:
            raise Fault(
                f"{show(feature)} is not built yet",
                hint=NOT_BUILT[feature],
                location=location,
                at_key=True,
            )


def _features(assembly: Assembly) -> Iterator[tuple[str, Location]]:
    """Name what an assembly needs that not every run has, and where it is asked for."""
    for flow in assembly.flows:
        yield from _of_flow(flow)
    for event in assembly.events:
        yield event.form.kind, (*event.location, event.form.kind)


def _of_flow(flow: Flow) -> Iterator[tuple[str, Location]]:
    traffic, at = flow.traffic, flow.location
    yield traffic.kind, (*at, traffic.kind)
    if traffic.batch > 1:
        yield "batch", (*at, "batch")
    if isinstance(traffic.session, int):
        yield "session per N", (*at, "session")
    elif traffic.session != "keep":
        yield f"session {traffic.session}", (*at, "session")
    if flow.share != 1.0:
        yield "share", (*at, "to" if traffic.begins_at_server else "from")

"""Checks of sessions that are established before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fleet.devices import Arriving
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly


def check_established(assembly: Assembly, engine: str) -> None:
    """Check that sessions can be established before the run where the study requires it.

    Raises
    ------
    Fault
        With the place of what would not be set up by then.
    """
    if not assembly.begins_established:
        return
    for flow in assembly.flows:
        at = (*flow.location, "session")
        if isinstance(assembly.group_of(flow).devices, Arriving):
            what = "devices that come and go cannot have a session before they come"
            raise Fault(what, hint='write "session: keep"', location=at)
        if not flow.traffic.begins_at_server and flow.traffic.session != "established":
            raise Fault(
                "either all sessions of a run are established beforehand, or none is",
                hint='write "session: established" in every flow, or in none',
                location=flow.location if flow.traffic.session == "keep" else at,
            )
        if engine != "virtual":
            raise Fault(
                '"session: established" works only with "engine: virtual"',
                hint='write "session: keep"',
                location=at,
            )

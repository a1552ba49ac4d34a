"""The short form of a study, one group, one server, one path and one flow, as the long one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.assembly import Assembly, Flow, Group, Server
from lasthop.study.energy import energy_of_radio
from lasthop.study.hops import hops_of

if TYPE_CHECKING:
    from lasthop.study.model import StudyForm

GROUP, SERVER, PATH, FLOW = "device", "server", "path", "traffic"
"""What the parts are called where a study does not name them."""


def assemble(form: StudyForm) -> Assembly:
    """Give the parts of a study in its short form.

    Raises
    ------
    Fault
        If they contradict each other.
    """
    hops = hops_of(form.path, name=PATH, location=("path",))
    has_radio = form.path.nbiot is not None
    group = Group(
        name=GROUP,
        devices=form.devices,
        path=PATH,
        server=SERVER,
        location=("devices",),
        energy=energy_of_radio(form.energy, has_radio=has_radio),
    )
    ends = (SERVER, GROUP) if form.traffic.kind == "command" else (GROUP, SERVER)
    return Assembly(
        groups=(group,),
        servers=(Server(name=SERVER, location=(), ports={}),),
        paths={PATH: hops},
        flows=(
            Flow(
                name=FLOW,
                sender=ends[0],
                receiver=ends[1],
                traffic=form.traffic,
                location=("traffic",),
            ),
        ),
    )

"""The hops that the settings of a path stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.assembly import Hop

if TYPE_CHECKING:
    from lasthop.study.faults import Location
    from lasthop.study.path import Path


def hops_of(path: Path, *, name: str, location: Location) -> tuple[Hop, ...]:
    """Give a radio network of all, or a link of each device and the NAT behind it.

    Parameters
    ----------
    name
        Of each hop.
    location
        Of the path in the study.
    """
    if path.nbiot is not None:
        nbiot = (*location, "nbiot")
        return (Hop(name=name, scope="all", settings=path.nbiot, location=nbiot),)
    link = Hop(name=name, scope="own", settings=path, location=location)
    if path.nat is None:
        return (link,)
    nat = Hop(name=name, scope="own", settings=path.nat, location=(*location, "nat"))
    return (link, nat)

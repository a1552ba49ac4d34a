"""The hops of a path, and their allowed order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from lasthop.study.fleet.assembly import Hop
from lasthop.study.paths.media import Scope, medium_of
from lasthop.study.paths.path import HopForm, LinkForm, Nat
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.study.text.faults import Location

_SCOPES: tuple[Scope, ...] = ("own", "group", "all")
"""Scopes of a hop, from the smallest to the largest number of sharing devices."""


def hops_of(path: LinkForm | list[HopForm], *, name: str, location: Location) -> tuple[Hop, ...]:
    """Return the hops of a path, starting at the device.

    Parameters
    ----------
    name
        Name of the path. Its hops have the same name; hops of a list also their kind.
    location
        Location of the path in the study.

    Raises
    ------
    Fault
        If there can be no such order of hops.
    """
    if not isinstance(path, list):
        return tuple(_hops(path, name, location, "own", links=True))
    hops: list[Hop] = []
    for place, form in enumerate(path):
        scope = _widest(hops)
        of_form = list(_hops(form, name, (*location, place), scope, links=form.is_link))
        if not of_form:
            raise Fault(
                "the hop is empty",
                hint='write "{delay: 20 ms}", "{nat: {udp: 120 s}}" or "{nbiot: ..}"',
                location=(*location, place),
            )
        for hop in of_form:
            _check_order(hops, hop)
            hops.append(hop)
    return tuple(_named(hops, path, name))


def _hops(
    form: LinkForm, name: str, location: Location, before: Scope, *, links: bool
) -> Iterator[Hop]:
    if form.medium_of_its_own is not None:
        medium, settings = form.medium_of_its_own
        at, scope = (*location, medium.key), form.scope or medium.scope or before
        yield Hop(name=name, scope=scope, settings=settings, location=at)
        return
    if links:
        yield Hop(name=name, scope=form.scope or before, settings=form, location=location)
    if isinstance(form.nat, Nat):
        # Unless somebody says otherwise, a device has an address of its own outside.
        nat = (*location, "nat")
        yield Hop(name=name, scope=form.scope or "own", settings=form.nat, location=nat)


def _widest(hops: Sequence[Hop]) -> Scope:
    """Return the widest scope among some hops."""
    return max((hop.scope for hop in hops), key=_SCOPES.index, default="own")


def _check_order(hops: Sequence[Hop], hop: Hop) -> None:
    medium = medium_of(hop.settings)
    if medium is not None and medium.is_radio and hops:
        raise Fault(
            f"{medium.noun} must be the first hop of a path, because the radio is in the device",
            hint="move it to the front",
            location=hop.location,
            at_key=True,
        )
    # A NAT of each device stands behind a link that they share, but not behind an address.
    before = _widest([one for one in hops if one.kind == "nat" or hop.kind != "nat"])
    if _SCOPES.index(hop.scope) < _SCOPES.index(before):
        wide = "its group" if before == "group" else "all"
        raise Fault(
            f"a hop of scope {show(hop.scope)} cannot follow a hop of scope {wide}, "
            "which several devices share",
            hint=f'write "scope: {before}", or move the hop before it',
            location=hop.location,
        )


def _named(hops: list[Hop], forms: list[HopForm], path: str) -> Iterator[Hop]:
    """Yield the hops with their names. The default name has path, kind and number."""
    kinds: Counter[str] = Counter()
    for hop in hops:
        place = next(step for step in reversed(hop.location) if isinstance(step, int))
        kind = hop.kind
        kinds[kind] += 1
        number = kinds[kind]
        own = f"{path}.{kind}" if number == 1 else f"{path}.{kind}{number}"
        yield replace(hop, name=forms[place].name or own)

"""Converts the hops of a path to their form in a run spec: links, NATs and networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.paths.media import medium_of
from lasthop.study.paths.path import Nat
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    import pathlib

    from lasthop.study.fleet.assembly import Hop

Spec = dict[str, Any]


def hop_spec(hop: Hop, folder: pathlib.Path) -> Spec:
    """Return a hop as part of the run spec.

    Parameters
    ----------
    folder
        Folder of trace files.

    Raises
    ------
    Fault
        If its settings contradict each other.
    """
    try:
        return {"name": hop.name, "scope": hop.scope, **_settings(hop.settings, folder)}
    except Fault as fault:
        raise fault.within(hop.location) from None


def _settings(settings: Any, folder: pathlib.Path) -> Spec:  # noqa: ANN401  (of any medium)
    medium = medium_of(settings)
    if medium is not None:
        return {medium.spec_key: medium.spec(settings)}
    if isinstance(settings, Nat):
        return {"nat": _nat(settings)}
    return {"link": settings.link_spec(folder)}


def _nat(nat: Nat) -> Spec:
    return {
        "udp_timeout_ns": nat.udp,
        "tcp_timeout_ns": nat.tcp,
        "rebind_every_ns": nat.rebind_every,
        "ports": nat.ports,
    }

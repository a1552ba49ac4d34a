"""The hops of a path as the run spec holds them: links, address translators, radios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.nbiot.check import check
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.nbiot.resolve import resolve
from lasthop.study.paths.medium import Medium
from lasthop.study.paths.path import Nat, Path
from lasthop.study.paths.wlan import Wlan
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    import pathlib

    from lasthop.study.fleet.assembly import Hop

Spec = dict[str, Any]


def hop_spec(hop: Hop, folder: pathlib.Path) -> Spec:
    """Give a hop of a run spec.

    Parameters
    ----------
    folder
        Where trace files are looked for.

    Raises
    ------
    Fault
        If its settings contradict each other.
    """
    try:
        return {"name": hop.name, "scope": hop.scope, **_settings(hop.settings, folder)}
    except Fault as fault:
        raise fault.within(hop.location) from None


def _settings(settings: Path | Nat | Nbiot | Wlan | Medium, folder: pathlib.Path) -> Spec:
    match settings:
        case Nbiot():
            network = resolve(settings)
            check(network)
            return {"nbiot": network}
        case Wlan():
            return {"wlan": settings.spec()}
        case Nat():
            return {"nat": _nat(settings)}
        case Path():
            return {"link": settings.link_spec(folder)}
        case Medium():
            return {"registered": settings.spec()}


def _nat(nat: Nat) -> Spec:
    return {
        "udp_timeout_ns": nat.udp,
        "tcp_timeout_ns": nat.tcp,
        "rebind_every_ns": nat.rebind_every,
        "ports": nat.ports,
    }

"""Divides the simulated devices of a group among its strata."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.study.fields.shares import Shares
from lasthop.study.fleet.assembly import Stratum
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from lasthop.study.fleet.assembly import Hop
    from lasthop.study.fleet.devices import Arriving
    from lasthop.study.text.faults import Location


def strata_of(
    hops: Iterable[Hop], devices: int | Arriving, *, real: int | None = None, minimum: int = 1
) -> tuple[Stratum, ...]:
    """Return the strata of a group on these hops; empty if all devices are equal.

    Parameters
    ----------
    devices
        Number of simulated devices.
    real
        Number of real devices; None if each device is simulated.
    minimum
        Minimum number of simulated devices in each stratum.

    Raises
    ------
    Fault
        If there are too few devices, or none that stay.
    """
    losses, location = _losses(hops)
    if losses is None:
        return ()
    if not isinstance(devices, int):
        raise Fault(
            "strata need devices that stay, and these devices come and go",
            hint='write one coupling loss, for example "144 dB", or a number of devices that stay',
            location=location,
        )
    return stratify(
        losses, simulated=devices, real=devices if real is None else real, minimum=minimum
    )


def _losses(hops: Iterable[Hop]) -> tuple[Shares | None, Location]:
    for hop in hops:
        if isinstance(hop.settings, Nbiot) and isinstance(hop.settings.coupling_loss, Shares):
            return hop.settings.coupling_loss, (*hop.location, "coupling_loss")
    return None, ()


def stratify(losses: Shares, *, simulated: int, real: int, minimum: int) -> tuple[Stratum, ...]:
    """Divide the simulated devices of a group among its strata.

    Parameters
    ----------
    simulated, real
        Numbers of simulated devices and of real devices.
    minimum
        Minimum number of simulated devices in each stratum. Devices of small strata then represent
        fewer real ones.

    Examples
    --------
    >>> from lasthop.study.fields.shares import COUPLING_LOSSES
    >>> shares = COUPLING_LOSSES.read({"144 dB": "80 %", "164 dB": "20 %"})
    >>> [(one.devices, one.weight) for one in stratify(shares, simulated=10, real=100, minimum=5)]
    [(5, 16.0), (5, 4.0)]

    Raises
    ------
    Fault
        If there are too few devices.
    """
    least = minimum * len(losses.shares)
    if simulated < least:
        raise Fault(
            f"{len(losses.shares)} strata with at least {minimum} devices each need "
            f"{least} devices, but only {simulated} are simulated",
            hint=f"simulate {least} or more",
        )
    devices = _allocated([one.share for one in losses.shares], simulated, minimum)
    return tuple(
        Stratum(
            name=one.name,
            devices=number,
            weight=float(real * one.share / number),
            coupling_loss_db=one.value,
        )
        for one, number in zip(losses.shares, devices, strict=True)
    )


def _allocated(shares: Sequence[Decimal], devices: int, minimum: int) -> list[int]:
    """Return the number of devices of each share, by the method of largest remainders."""
    raised: set[int] = set()
    while True:
        left = devices - minimum * len(raised)
        total = sum(share for place, share in enumerate(shares) if place not in raised)
        exact = {
            place: left * share / total for place, share in enumerate(shares) if place not in raised
        }
        small = {place for place, number in exact.items() if number < minimum}
        if not small:
            break
        raised |= small
    found = [
        minimum if place in raised else math.floor(exact[place]) for place in range(len(shares))
    ]
    by_remainder = sorted(exact, key=lambda place: (math.floor(exact[place]) - exact[place], place))
    for place in by_remainder[: devices - sum(found)]:
        found[place] += 1
    return found

"""Numbers of devices: permanent ones, or ones that arrive, send one message and leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, Tag

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form, LongPositiveTime, LongTime, Quantity
from lasthop.study.fields.quantity import ARRIVALS
from lasthop.study.fleet.assembly import networks
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.fleet.assembly import Hop
    from lasthop.study.text.faults import Location
    from lasthop.study.traffic.traffic import Traffic

MAXIMUM_DEVICES = 100_000
MAXIMUM_ARRIVALS = 16_000_000
"""Maximum number of arriving devices in a run."""

_HOUR_NS = 3_600 * 10**9
_OF_A_SCHEDULE = ("every", "pause", "arrivals", "burst", "spread", "start")


class Arriving(Form):
    """Devices that arrive at random, send one message, and leave after its delivery."""

    arrive: Annotated[float, Quantity(ARRIVALS, "2 /s")] = Field(examples=["2 /s"])
    """Mean rate of arriving devices (Poisson process)."""
    per: Literal["cell", "network"] = Field(default="cell", examples=["cell"])
    """Whether the rate applies to each cell or to the whole network."""
    linger: LongTime = Field(default=2 * 10**9, examples=["2 s"])
    """How long a device stays after its message is delivered and acknowledged."""
    give_up: LongPositiveTime = Field(default=60 * 10**9, examples=["60 s"])
    """Time after which a device leaves, whether or not its message was delivered."""


Devices = Annotated[
    Annotated[Annotated[int, Field(ge=0, le=MAXIMUM_DEVICES)], Tag("<value>")]
    | Annotated[Arriving, Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]


def check_arriving(
    devices: Arriving,
    traffic: Traffic,
    hops: Iterable[Hop],
    duration_ns: int,
    *,
    at: tuple[Location, Location] = (("devices",), ("traffic",)),
) -> None:
    """Check that arriving devices have a cell, one message each and a flow of their own.

    Parameters
    ----------
    at
        Locations of devices and traffic in the study.

    Raises
    ------
    Fault
        If they have no cell to come to, more than one message, or none of their own.
    """
    devices_at, traffic_at = at
    network = next(networks(hops), None)
    if network is None:
        raise Fault(
            "devices that come and go need a path with a radio network",
            hint='write "path: {nbiot: {base: larmo_2019}}", or write a fixed '
            'number, for example "devices: 10"',
            location=devices_at,
        )
    for key in _OF_A_SCHEDULE:
        if key in traffic.model_fields_set:
            raise Fault(
                f"a device that comes and goes sends one message, so {key} has no effect",
                hint="remove it",
                location=(*traffic_at, key),
                at_key=True,
            )
    if traffic.kind not in ("report", "round_trip"):
        raise Fault(
            "a device that comes and goes must send the message itself",
            hint='write "report: 25 B" or "round_trip: 25 B"',
            location=(*traffic_at, traffic.kind),
            at_key=True,
        )
    cells = network.cells if devices.per == "cell" else 1
    arrivals = devices.arrive * cells * duration_ns / _HOUR_NS
    if arrivals > MAXIMUM_ARRIVALS:
        raise Fault(
            f"{arrivals:.0f} devices would come, more than {MAXIMUM_ARRIVALS}",
            hint='reduce "arrive", or write a shorter duration',
            location=(*devices_at, "arrive"),
        )

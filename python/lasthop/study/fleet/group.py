"""Form of a device group in a fleet: its number of devices, path, server and stack."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.fleet.battery import BatteryOf
from lasthop.study.fleet.device import DeviceForm
from lasthop.study.fleet.devices import MAXIMUM_DEVICES, Arriving
from lasthop.study.fleet.energy import Energy
from lasthop.study.fleet.tariff import TariffForm
from lasthop.study.text.faults import Fault

MAXIMUM_COUNT = 1_000_000_000

Count = Annotated[
    Annotated[Annotated[int, Field(ge=0, le=MAXIMUM_COUNT)], Tag("<value>")]
    | Annotated[Arriving, Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]


class GroupForm(Form):
    """A group of equal devices with one path, one stack and one or more servers."""

    elsewhere: ClassVar[dict[str, str]] = {
        "devices": 'write "count: 100"',
        "traffic": 'write the traffic of a group under "traffic", with "from: GROUP"',
        "strata": (
            "write the shares at the key that differs, for example "
            '"coupling_loss: {144 dB: 80 %, ..}", or "coupling_loss: {from: survey.csv}"'
        ),
        "weight": 'remove it; it follows from "count" and "simulate"',
    }

    count: Count = Field(examples=["200000", "{arrive: 2 /s, per: cell}"])
    """Number of devices, or the rate at which devices come and go."""
    simulate: Annotated[int, Field(ge=1, le=MAXIMUM_DEVICES)] | None = Field(
        default=None, examples=["600"]
    )
    """Number of devices that are simulated. Each then stands for several real ones. Every
    repetition draws its own devices, so the intervals include the sampling error. Default: all."""
    minimum: Annotated[int, Field(ge=1, le=MAXIMUM_DEVICES)] = Field(default=1, examples=["30"])
    """Smallest number of simulated devices in each stratum. These then stand for fewer real
    ones."""
    path: str | None = Field(default=None, examples=["cell"])
    """Path of the packets of these devices. Default: the only path of the study."""
    server: str | None = Field(default=None, examples=["head_end"])
    """Server of the group, beside servers that its flows name. Each device has one connection to
    each server. Default: the only server."""
    stack: str | None = Field(default=None, examples=["coap type=con"])
    """Stack of the group: a name of `stacks`, or a stack in its notation. Default: the compared
    stack."""
    stacks: dict[str, str] = Field(default_factory=dict, examples=["{archive: mqtt qos=1}"])
    """Stacks for single servers, by the name of the server."""
    battery: BatteryOf | None = Field(
        default=None, examples=["30 Wh", "{capacity: 8.5 Ah, voltage: 3.6 V}"]
    )
    """A new battery of each device: its energy, or a mapping with its limits. It needs a path with
    a radio."""
    energy: Energy | None = Field(default=None, examples=["{profile: bg96}"])
    """Power profile and battery of each device. It needs a path with a radio."""

    device: DeviceForm | None = Field(default=None, examples=["esp8266"])
    """Limits of the hardware: the name of a profile, or a profile with changes."""
    tariff: TariffForm | None = Field(default=None, examples=["hologram"])
    """What the SIM of each device costs: the name of a shipped tariff, or a tariff of your own.
    Default: the tariff of the study."""

    @model_validator(mode="after")
    def _simulated_of_those_there(self) -> GroupForm:
        if isinstance(self.count, Arriving):
            for key in ("simulate", "minimum"):
                if key in self.model_fields_set:
                    raise Fault(
                        f'"{key}" has no effect: all devices that come and go are simulated',
                        hint="remove it",
                        location=(key,),
                        at_key=True,
                    )
            if self.tariff is not None:
                raise Fault(
                    "devices that come and go cannot have a tariff",
                    hint='remove it, or write a number of devices, for example "count: 100"',
                    location=("tariff",),
                    at_key=True,
                )
            if self.device is not None:
                raise Fault(
                    "devices that come and go cannot have a device profile",
                    hint='remove it, or write a number of devices, for example "count: 100"',
                    location=("device",),
                    at_key=True,
                )
            return self
        if self.simulate is not None and self.simulate > self.count:
            raise Fault(
                f"{self.simulate} devices are more than the {self.count} of the group",
                hint=f"write {self.count} or less",
                location=("simulate",),
            )
        if self.minimum > max(1, self.simulated):
            raise Fault(
                f'"minimum" wants {self.minimum} devices in each stratum, but only '
                f"{self.simulated} are simulated",
                hint=f"write {max(1, self.simulated)} or less"
                + ("" if self.simulate is None else ', or a larger "simulate"'),
                location=("minimum",),
            )
        if self.simulated > MAXIMUM_DEVICES:
            raise Fault(
                f"{self.count} devices are more than the {MAXIMUM_DEVICES} that can be simulated",
                hint='simulate a part of them, for example "simulate: 600"',
                location=("count",),
            )
        return self

    @model_validator(mode="after")
    def _one_battery(self) -> GroupForm:
        if (
            self.battery is not None
            and self.energy is not None
            and "battery" in self.energy.model_fields_set
        ):
            raise Fault(
                'the battery is given here and in "energy"',
                hint="remove one of them",
                location=("energy", "battery"),
                at_key=True,
            )
        return self

    @property
    def simulated(self) -> int:
        """Return the number of simulated permanent devices."""
        there = 0 if isinstance(self.count, Arriving) else self.count
        return there if self.simulate is None else self.simulate

    def living_on(self) -> Energy | None:
        """Return the energy settings of the devices, or None."""
        if self.battery is None:
            return self.energy
        return (self.energy or Energy()).model_copy(update={"battery": self.battery})

"""The short form of a study: one group, server, path and flow without names."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from lasthop.study.fields.form import Form
from lasthop.study.fleet.assembly import Assembly, Event, Flow, Group, Hop, Server
from lasthop.study.fleet.device import DeviceForm
from lasthop.study.fleet.devices import Arriving, Devices, check_arriving
from lasthop.study.fleet.energy import Energy, energy_of_radio
from lasthop.study.fleet.hops import hops_of
from lasthop.study.fleet.strata import strata_of
from lasthop.study.forms.model import Stacks, StudyForm
from lasthop.study.paths.path import LinkForm, PathForm
from lasthop.study.stacks.arm import StudyArm
from lasthop.study.stacks.arms import read_arms
from lasthop.study.text.faults import Fault
from lasthop.study.traffic.traffic import FROM_SERVER, Traffic

GROUP, SERVER, PATH, FLOW = "device", "server", "path", "traffic"
"""Default names of the parts of a study in the short form."""

_LONG_FORM = 'it can be used only with a fleet; add "fleet"'


class ShortForm(StudyForm):
    """A study in the short form: stacks, conditions, traffic and measures."""

    elsewhere: ClassVar[dict[str, str]] = StudyForm.elsewhere | dict.fromkeys(
        ("paths", "servers", "compare"), _LONG_FORM
    )
    mappings: ClassVar[dict[str, type[Form]]] = StudyForm.mappings | {
        "traffic": Traffic,
        "path": LinkForm,
        "device": DeviceForm,
    }

    devices: Devices = Field(default=1, examples=["1", "{arrive: 2 /s, per: cell}"])
    """Number of devices that send at the same time, or the rate at which devices come and go."""
    traffic: Traffic = Field(examples=["{round_trip: 409 B, every: 250 ms}"])
    """Messages, their size and their interval."""
    path: PathForm = Field(default_factory=LinkForm, examples=["{loss: 10 %, delay: 100 ms}"])
    """Link or radio network of the devices."""
    energy: Energy | None = Field(default=None, examples=["{profile: tr_45_820, battery: 5 Wh}"])
    """Power profile and battery of the devices. It needs a path with a radio."""
    device: DeviceForm | None = Field(default=None, examples=["esp8266"])
    """Hardware limits of each device: the name of a profile, or a profile with changes."""
    stacks: Stacks = Field(
        examples=[
            "[raw_udp, raw_udp ack=on]",
            '["mqtt qos={0,1,2} tcp.nodelay={on,off}"]',
            "{ours: mqtt qos=1 keep_alive=20min, plain: coap}",
        ]
    )
    """Compared stacks, as a list or each with a name. {a,b} stands for one stack with each
    value."""

    @model_validator(mode="after")
    def _has_messages(self) -> ShortForm:
        if isinstance(self.devices, Arriving):
            if self.tariff is not None:
                raise Fault(
                    "devices that come and go cannot have a tariff",
                    hint='remove it, or write a number of devices, for example "devices: 3"',
                    location=("tariff",),
                    at_key=True,
                )
            check_arriving(self.devices, self.traffic, self.hops(), self.duration)
        return self

    def hops(self) -> tuple[Hop, ...]:
        """Return the hops of the path."""
        return hops_of(self.path, name=PATH, location=("path",))

    def assemble(self) -> Assembly:
        """Return the parts of the study under their default names."""
        hops = self.hops()
        server = Server(name=SERVER, location=(), ports={})
        group = Group(
            name=GROUP,
            devices=self.devices,
            path=PATH,
            servers=(SERVER,),
            location=(),
            count_at=("devices",),
            strata=strata_of(hops, self.devices),
            energy=energy_of_radio(self.energy, hops),
            device=self.device,
            tariff=self.tariff,
        )
        ends = (SERVER, GROUP) if self.traffic.kind in FROM_SERVER else (GROUP, SERVER)
        flow = Flow(
            name=FLOW,
            sender=ends[0],
            receiver=ends[1],
            server=SERVER,
            traffic=self.traffic,
            location=("traffic",),
        )
        return Assembly(
            groups=(group,),
            servers=(server,),
            paths={PATH: hops},
            flows=(flow,),
            events=tuple(
                Event(form=form, location=("events", place))
                for place, form in enumerate(self.events)
            ),
            faults=tuple(self.faults),
        )

    def arms(self) -> tuple[StudyArm, ...]:
        """Return an arm for each stack."""
        try:
            return tuple(StudyArm.of(stack, [GROUP]) for stack in read_arms(self.stacks))
        except Fault as fault:
            raise fault.within(("stacks",)) from None

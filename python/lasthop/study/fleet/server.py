"""Form of a server in a fleet: its ports, services and service times."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from lasthop.study.fields.form import Form, Quantity
from lasthop.study.fields.quantity import SIZE
from lasthop.study.fleet.assembly import Work
from lasthop.study.fleet.device import DeviceForm
from lasthop.study.fleet.gateway import ForwardsForm
from lasthop.study.fleet.service_time import MAXIMUM_WORKERS, QUEUE_BYTES, ServiceTimeForm
from lasthop.study.stacks.notation import parse_layers
from lasthop.study.text.faults import Fault

Port = Annotated[int, Field(ge=1, le=65_535)]
PositiveSize = Annotated[int, Quantity(SIZE, "16 MB", minimum=1)]


class ServerForm(Form):
    """A server. It offers the stacks of the groups that use it."""

    services: dict[str, Port] = Field(default_factory=dict, examples=["{mqtt: 8883, coap: 5683}"])
    """Ports by protocol, with layers if needed. Default: the usual port of each protocol."""
    forwards: ForwardsForm | None = Field(
        default=None, examples=["{to: head_end, path: wan, stack: mqtt qos=1, batch: 12}"]
    )
    """Makes the server a gateway that forwards the reports of devices to another server. With a
    `cache` it is a caching proxy."""

    service_time: dict[str, ServiceTimeForm] = Field(
        default_factory=dict, examples=["{mqtt/tls: {connection: 1.2 ms, message: 20 us}}"]
    )
    """Processing time by protocol, with its layers. Default: 0. Real software uses its own time."""
    workers: Annotated[int, Field(ge=1, le=MAXIMUM_WORKERS)] | None = Field(
        default=None, examples=["4"]
    )
    """Number of pieces of work that the server processes at the same time. Default: 1."""
    queue: PositiveSize | None = Field(default=None, examples=["16 MB"])
    """Bytes of packets that can wait for a worker. Further packets are lost. Default: 16 MB."""

    device: DeviceForm | None = Field(default=None, examples=["esp8266"])
    """Hardware limits of the device that the server runs on: the name of a profile, or a profile
    with changes."""

    @field_validator("services", "service_time")
    @classmethod
    def _known(cls, of_protocols: dict[str, Any]) -> dict[str, Any]:
        for name in of_protocols:
            try:
                parse_layers(name)
            except Fault as fault:
                what = Fault(fault.what, hint=fault.hint, location=(name,), at_key=True)
                raise what from None
        return of_protocols

    @model_validator(mode="after")
    def _workers_have_work(self) -> ServerForm:
        for key in ("workers", "queue"):
            if not self.service_time and getattr(self, key) is not None:
                what = f'"{key}" has no effect without "service_time"'
                hint = 'add "service_time: {mqtt: {message: 20 us}}", or remove it'
                raise Fault(what, hint=hint, location=(key,), at_key=True)
        return self

    @model_validator(mode="after")
    def _has_one_time(self) -> ServerForm:
        for key in ("service_time", "forwards"):
            if self.device is not None and getattr(self, key):
                what = f'"{key}" has no effect on a server that runs on a device'
                raise Fault(what, hint="remove it", location=(key,), at_key=True)
        return self

    def ports(self) -> dict[str, int]:
        """Return the port of each protocol with its layers."""
        return {"/".join(parse_layers(name)[:-1]): port for name, port in self.services.items()}

    def work(self) -> Work | None:
        """Return the service times with all defaults; None if there are none."""
        if not self.service_time:
            return None
        written = self.service_time.items()
        return Work(
            of={"/".join(parse_layers(name)[:-1]): times.spec() for name, times in written},
            workers=self.workers or 1,
            queue_bytes=self.queue or QUEUE_BYTES,
        )

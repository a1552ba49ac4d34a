"""A server of the long form: where it is found, for which protocols."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from lasthop.study.faults import Fault
from lasthop.study.fleet.gateway import ForwardsForm
from lasthop.study.form import Form
from lasthop.study.stacks.notation import parse_layers

Port = Annotated[int, Field(ge=1, le=65_535)]


class ServerForm(Form):
    """A server, which offers what the groups that talk to it speak."""

    services: dict[str, Port] = Field(default_factory=dict, examples=["{mqtt: 8883, coap: 5683}"])
    """The port of a protocol, with its layers if need be; the usual one for what is left out."""
    forwards: ForwardsForm | None = Field(
        default=None, examples=["{to: head_end, path: wan, stack: mqtt qos=1, batch: 12}"]
    )
    """Makes it a gateway: what devices report to it goes on to another server."""

    @field_validator("services")
    @classmethod
    def _known(cls, services: dict[str, int]) -> dict[str, int]:
        for name in services:
            try:
                parse_layers(name)
            except Fault as fault:
                what = Fault(fault.what, hint=fault.hint, location=(name,), at_key=True)
                raise what from None
        return services

    def ports(self) -> dict[str, int]:
        """Give the port of each protocol with all its layers."""
        return {"/".join(parse_layers(name)[:-1]): port for name, port in self.services.items()}

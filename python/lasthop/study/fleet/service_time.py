"""Form of a server's service times and number of workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from lasthop.study.fields.form import Form, Time
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.fleet.assembly import Server
    from lasthop.study.stacks.notation import ResolvedStack

MAXIMUM_WORKERS = 1024

QUEUE_BYTES = 16 * 10**6
"""Default queue size of the workers in bytes."""


class ServiceTimeForm(Form):
    """The service time of a server."""

    packet: Time = Field(default=0, examples=["2 us"])
    """Processing time for each packet that arrives."""
    byte: Time = Field(default=0, examples=["5 ns"])
    """Processing time for each byte of a packet, from the IP header on."""
    connection: Time = Field(default=0, examples=["1.2 ms"])
    """Processing time for each new connection; over UDP, for each new peer."""
    resumption: Time | None = Field(default=None, examples=["400 us"])
    """Processing time for each connection that resumes a session. Default: as for a new
    connection."""
    message: Time = Field(default=0, examples=["20 us"])
    """Processing time for each message that arrives or leaves."""

    def spec(self) -> dict[str, int]:
        """Return the service times as part of the run spec, with all defaults."""
        return {
            "packet_ns": self.packet,
            "byte_ns": self.byte,
            "connection_ns": self.connection,
            "resumption_ns": self.connection if self.resumption is None else self.resumption,
            "message_ns": self.message,
        }


def check_service_time(server: Server, stacks: Iterable[ResolvedStack]) -> None:
    """Check that the service times of a server cover its stacks without contradictions.

    Raises
    ------
    Fault
        If it leaves out what is spoken, or two stacks that are spoken differ in it.
    """
    if server.work is None:
        return
    location = (*server.location, "service_time")
    first: str | None = None
    for stack in stacks:
        name = "/".join(stack.layers[:-1])
        if name not in server.work.of:
            what = f"the service time of {server.name} for {name} is missing"
            hint = f'add "{name}: {{message: 20 us}}", or "{name}: {{}}" for zero'
            raise Fault(what, hint=hint, location=location, at_key=True)
        first = first or name
        if server.work.of[name] != server.work.of[first]:
            what = (
                f"{server.name} serves {first} and {name} with the same workers, "
                "so their service times must be equal"
            )
            hint = "write the same service time for both, or use two servers"
            raise Fault(what, hint=hint, location=location, at_key=True)

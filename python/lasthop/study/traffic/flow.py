"""Form of a named flow between a group of devices and a server or another group."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from lasthop.study.traffic.ends import End, EndOf
from lasthop.study.traffic.traffic import Traffic


class FlowForm(Traffic):
    """A flow of messages between devices of a group and a server or another group."""

    elsewhere: ClassVar[dict[str, str]] = {}

    sender: Annotated[End, EndOf("meters")] | None = Field(
        default=None, alias="from", examples=["meters"]
    )
    """Sender: a group or a share of one; or a server, for traffic to devices. Default: the server
    of the group."""
    receiver: Annotated[End, EndOf("meters")] | None = Field(
        default=None, alias="to", examples=["10 % of meters", "all of displays"]
    )
    """Receiver: a group, a share of one, or a server. Default: the server of the group. A report to
    a group goes through the server of its sender to one device at a time, which subscribes to it.
    With `all of` every device receives each message."""
    resource: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        default=None, examples=["temperature"]
    )
    """Resource of the server that a download reads or a report writes, over CoAP and HTTP. Flows
    with the same name share the resource, so a cache answers all of them from one copy. Default: a
    separate resource for each flow through a cache."""

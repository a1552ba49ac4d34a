"""A named flow of the long form: traffic between a group of devices and a server or a group."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from lasthop.study.traffic.ends import End, EndOf
from lasthop.study.traffic.traffic import Traffic


class FlowForm(Traffic):
    """One flow of messages between devices of a group and a server, or those of another group."""

    elsewhere: ClassVar[dict[str, str]] = {}

    sender: Annotated[End, EndOf("meters")] | None = Field(
        default=None, alias="from", examples=["meters"]
    )
    """Who sends: a group, or a share of one. A server, for what goes to devices; that of the group
    when left out."""
    receiver: Annotated[End, EndOf("meters")] | None = Field(
        default=None, alias="to", examples=["10 % of meters", "all of displays"]
    )
    """Who gets it: a group or a share of one, or a server; that of the group when left out.
    A report to a group goes through the server of its sender, each message to one device, which
    subscribes to it; with `all of`, each message to every device, and each is to get it."""
    resource: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        default=None, examples=["temperature"]
    )
    """What of the server a download reads, or a report writes, by CoAP and HTTP: flows of one name
    are about the same, so that a cache answers all from one copy, and forgets it when one writes.
    By way of a cache each flow is about a resource of its own when left out."""

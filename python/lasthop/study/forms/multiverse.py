"""The form of a multiverse."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lasthop.study.fields.form import Form


class CountingForm(Form):
    """Ways to count the same runs. The first one of each is the reference."""

    latency: Annotated[list[Literal["round_trip", "one_leg"]], Field(min_length=1)] | None = Field(
        default=None, examples=["[round_trip, one_leg]"]
    )
    """The mean latency of the round trip, or half of it."""
    application_bytes: (
        Annotated[list[Literal["both_legs", "one_leg"]], Field(min_length=1)] | None
    ) = Field(default=None, examples=["[both_legs, one_leg]"])
    """Whether control bytes are related to the data of both legs, or to what the device sent."""
    wire_bytes: Annotated[list[Literal["offered", "delivered"]], Field(min_length=1)] | None = (
        Field(default=None, examples=["[offered, delivered]"])
    )
    """Bytes as they enter the path, or as they leave it."""
    frame_headers: Annotated[list[Literal["ethernet", "none"]], Field(min_length=1)] | None = Field(
        default=None, examples=["[ethernet, none]"]
    )
    """Whether control bytes with Ethernet headers have them."""


class MultiverseForm(Form):
    """Makes the study a multiverse: its readings of another study, judged by that one's claims."""

    of: str = Field(min_length=1, max_length=255, examples=["study.yaml"])
    """The study whose claims are judged, relative to this one; its parts have the same names."""
    stack: str = Field(examples=["mqtt qos=1"])
    """The stack of that study which each arm of the same application stands for."""
    counting: CountingForm = Field(
        default_factory=CountingForm, examples=["{latency: [round_trip, one_leg]}"]
    )
    """Ways to count the same runs."""

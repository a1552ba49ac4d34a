"""Form of a multiverse: variants of another study."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lasthop.study.fields.form import Form


class CountingForm(Form):
    """Counting methods for the same runs. The first value of each key is the reference."""

    latency: Annotated[list[Literal["round_trip", "one_leg"]], Field(min_length=1)] | None = Field(
        default=None, examples=["[round_trip, one_leg]"]
    )
    """Mean latency as the round trip, or as half of it."""
    application_bytes: (
        Annotated[list[Literal["both_legs", "one_leg"]], Field(min_length=1)] | None
    ) = Field(default=None, examples=["[both_legs, one_leg]"])
    """Reference of control bytes: data on both legs, or only data that the device sent."""
    wire_bytes: Annotated[list[Literal["offered", "delivered"]], Field(min_length=1)] | None = (
        Field(default=None, examples=["[offered, delivered]"])
    )
    """Bytes that enter the path, or bytes that leave it."""
    frame_headers: Annotated[list[Literal["ethernet", "none"]], Field(min_length=1)] | None = Field(
        default=None, examples=["[ethernet, none]"]
    )
    """Whether Ethernet headers count as control bytes."""


class MultiverseForm(Form):
    """A multiverse: variants of another study, judged by that study's claims."""

    of: str = Field(min_length=1, max_length=255, examples=["study.yaml"])
    """Study whose claims are judged, relative to this file. Its parts have the same names."""
    stack: str = Field(examples=["mqtt qos=1"])
    """Stack of that study that each arm with the same application replaces."""
    counting: CountingForm = Field(
        default_factory=CountingForm, examples=["{latency: [round_trip, one_leg]}"]
    )
    """Counting methods for the same runs."""

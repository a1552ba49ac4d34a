"""How long base station, core and module take."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lasthop.study.fields.form import Form
from lasthop.study.nbiot.amounts import Duration

NetworkTimeName = Literal["ideal", "operator_norway_2019", "operator_south_africa_2019"]


class ModuleTime(Form):
    """What the firmware of the module takes beside what the standards tell it to do."""

    wake_up: Duration | None = Field(default=None, examples=["500 ms"])
    """From a deep sleep to a radio that listens."""
    send: Duration | None = Field(default=None, examples=["200 ms"])
    """From the command of the application to a packet that waits at the radio."""
    receive: Duration | None = Field(default=None, examples=["200 ms"])
    """From a packet that has arrived by radio to the application."""


class NetworkTime(Form):
    """How long what answers a device takes: what differs from a preset."""

    base: NetworkTimeName | None = Field(default=None, examples=["operator_norway_2019"])
    """The preset that holds for every key that is left out."""
    base_station: Duration | None = Field(default=None, examples=["8 ms"])
    """The base station's work on a message, before it answers or passes it on."""
    scheduler: Duration | None = Field(default=None, examples=["4 ms"])
    """From what the scheduler knows to the DCI that it decides on."""
    s1_round_trip: Duration | None = Field(default=None, examples=["15 ms"])
    """Between base station and MME, and back."""
    mme: Duration | None = Field(default=None, examples=["15 ms"])
    """The MME's work on a message."""
    subscriber_data: Duration | None = Field(default=None, examples=["100 ms"])
    """What the MME asks of the subscriber data (HSS), in an attach alone."""
    gateway: Duration | None = Field(default=None, examples=["15 ms"])
    """What is asked of the serving gateway: a session, a bearer, a page."""
    user_plane: Duration | None = Field(default=None, examples=["48 ms"])
    """Between base station and packet gateway, each way."""
    device_rrc: Duration | None = Field(default=None, examples=["50 ms"])
    """The device's work on a message of RRC, before it takes the grant for its answer."""
    module: ModuleTime | None = Field(default=None, examples=["{send: 200 ms, receive: 200 ms}"])
    """What the firmware of the module takes."""

"""The processing times of base station, core network and module."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lasthop.study.fields.form import Form
from lasthop.study.nbiot.amounts import Duration

NetworkTimeName = Literal["ideal", "operator_norway_2019", "operator_south_africa_2019"]


class ModuleTime(Form):
    """Delays of the module's firmware, in addition to those that the standards cause."""

    wake_up: Duration | None = Field(default=None, examples=["500 ms"])
    """Time from deep sleep until the radio can receive."""
    send: Duration | None = Field(default=None, examples=["200 ms"])
    """Time from the application's command until the packet waits at the radio."""
    receive: Duration | None = Field(default=None, examples=["200 ms"])
    """Time from the arrival of a packet at the radio until the application has it."""


class NetworkTime(Form):
    """Processing times, as differences from a preset."""

    base: NetworkTimeName | None = Field(default=None, examples=["operator_norway_2019"])
    """Preset for every key that is left out."""
    base_station: Duration | None = Field(default=None, examples=["8 ms"])
    """Processing time of the base station for a message."""
    scheduler: Duration | None = Field(default=None, examples=["4 ms"])
    """Delay between the scheduler's information and its DCI."""
    s1_round_trip: Duration | None = Field(default=None, examples=["15 ms"])
    """Round-trip time between base station and MME."""
    mme: Duration | None = Field(default=None, examples=["15 ms"])
    """Processing time of the MME for a message."""
    subscriber_data: Duration | None = Field(default=None, examples=["100 ms"])
    """Time for the subscriber data (HSS), only in an attach."""
    gateway: Duration | None = Field(default=None, examples=["15 ms"])
    """Time of the serving gateway for a session, a bearer or a page."""
    user_plane: Duration | None = Field(default=None, examples=["48 ms"])
    """One-way delay between base station and packet gateway."""
    device_rrc: Duration | None = Field(default=None, examples=["50 ms"])
    """Processing time of the device for an RRC message, before it uses the grant for its answer."""
    module: ModuleTime | None = Field(default=None, examples=["{send: 200 ms, receive: 200 ms}"])
    """Processing time of the module's firmware."""

"""Adapter of rmqtt, an MQTT broker in Rust, with MQTT over QUIC by quinn."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.cargo_program import CargoProgram


class Rmqtt(CargoProgram):
    """rmqtt without persistence.

    Over QUIC it accepts one connection at a time and no early data.
    """

    name: ClassVar[str] = "rmqtt"
    install: ClassVar[str] = "install Rust 1.94 or later by rustup; it brings the rest"
    built: ClassVar[str] = "release/rmqtt_server"

"""Adapter of mqtt5, an MQTT broker in Rust, with MQTT over QUIC by quinn."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.cargo_program import CargoProgram


class Mqtt5(CargoProgram):
    """An MQTT broker with mqtt5, configured to store nothing on disk.

    Over QUIC it takes early data, and answers it after the handshake.
    """

    name: ClassVar[str] = "mqtt5"
    install: ClassVar[str] = "install Rust 1.89 or later by rustup; it brings the rest"
    built: ClassVar[str] = "release/mqtt5_server"

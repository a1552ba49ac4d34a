"""rmqtt, an MQTT broker in Rust with QUIC by quinn."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.cargo_program import CargoProgram


class Rmqtt(CargoProgram):
    """Keeps nothing on disk. Over QUIC it takes no early data, and lets in one after the other."""

    name: ClassVar[str] = "rmqtt"
    install: ClassVar[str] = "install Rust 1.94 or later by rustup; it brings the rest"
    built: ClassVar[str] = "release/rmqtt_server"

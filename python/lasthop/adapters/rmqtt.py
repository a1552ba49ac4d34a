"""rmqtt, a broker for MQTT in Rust, whose QUIC is quinn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.built_program import BuiltProgram

if TYPE_CHECKING:
    from pathlib import Path


class Rmqtt(BuiltProgram):
    """Keeps nothing on disk. Over QUIC it takes no early data, and lets in one after the other."""

    name: ClassVar[str] = "rmqtt"
    program: ClassVar[str] = "cargo"
    install: ClassVar[str] = "install Rust 1.94 or later by rustup; it brings the rest"
    language: ClassVar[str] = "rust"
    built: ClassVar[str] = "release/rmqtt_server"
    minutes: ClassVar[int] = 4

    def build_command(self, builder: Path, folder: Path) -> list[str]:
        """Build it by Cargo, of the versions in Cargo.lock."""
        return [str(builder), "build", "--release", "--locked", "--target-dir", str(folder)]

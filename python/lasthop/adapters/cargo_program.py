"""Base class of lasthop's own servers around Rust libraries, built with Cargo."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.built_program import BuiltProgram

if TYPE_CHECKING:
    from pathlib import Path


class CargoProgram(BuiltProgram):
    """A server program that Cargo builds with the versions in its Cargo.lock."""

    program: ClassVar[str] = "cargo"
    language: ClassVar[str] = "rust"
    minutes: ClassVar[int] = 4

    def build_command(self, builder: Path, folder: Path) -> list[str]:
        """Return the Cargo command that builds the program with the versions in Cargo.lock."""
        return [str(builder), "build", "--release", "--locked", "--target-dir", str(folder)]

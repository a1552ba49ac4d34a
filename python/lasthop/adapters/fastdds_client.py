"""Adapter of eProsima Fast DDS as a device (C++ library)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.client import Client
from lasthop.adapters.fastdds import FAST_DDS, FastDds

if TYPE_CHECKING:
    from pathlib import Path


class FastDdsClient(Client):
    """A client that writes reports and reads its device's messages, with the stack's QoS."""

    name: ClassVar[str] = "fastdds"
    protocols: ClassVar[frozenset[str]] = FastDds.protocols
    program: ClassVar[str] = sys.executable
    install: ClassVar[str] = FAST_DDS.install
    oldest: ClassVar[tuple[int, ...]] = FastDds.oldest

    def find(self) -> Path:
        """Compile the client around the library, and return the path of Python."""
        return FastDds().find()

    def version_command(self, program: Path) -> list[str]:
        """Return the command that prints the version of the library."""
        return FastDds().version_command(program)

    def command(self, program: Path) -> list[str]:
        """Return the command that starts the client program."""
        script = "lasthop.adapters.programs.fastdds_device"
        return [str(program), "-m", script, str(FAST_DDS.path())]

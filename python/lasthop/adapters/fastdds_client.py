"""A device that is made with eProsima Fast DDS, the library in C++."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.client import Client
from lasthop.adapters.fastdds import FAST_DDS, FastDds

if TYPE_CHECKING:
    from pathlib import Path


class FastDdsClient(Client):
    """A client that writes reports and reads messages for its device, with given policies."""

    name: ClassVar[str] = "fastdds"
    protocols: ClassVar[frozenset[str]] = FastDds.protocols
    program: ClassVar[str] = sys.executable
    install: ClassVar[str] = FAST_DDS.install
    oldest: ClassVar[tuple[int, ...]] = FastDds.oldest

    def find(self) -> Path:
        """Find the library, and compile the client that uses it."""
        return FastDds().find()

    def version_command(self, program: Path) -> list[str]:
        """Ask the library."""
        return FastDds().version_command(program)

    def command(self, program: Path) -> list[str]:
        """Run the program."""
        script = "lasthop.adapters.programs.fastdds_device"
        return [str(program), "-m", script, str(FAST_DDS.path())]

"""Base class of servers and devices on lwIP."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

from lasthop.adapters import lwip_firmware
from lasthop.adapters.software import Software


class OnLwip(Software):
    """A program with lwIP as its own network stack instead of the kernel's."""

    name: ClassVar[str] = "lwip"
    program: ClassVar[str] = sys.executable
    install: ClassVar[str] = "apt-get install gcc cargo"
    takes_packets: ClassVar[bool] = True

    def find(self) -> Path:
        """Check for lwIP's source and a compiler, and return the path of the program.

        Raises
        ------
        EnvironmentFailure
            One of them is not there.
        """
        lwip_firmware.source()
        lwip_firmware.compiler()
        return Path(self.program)

    def version(self, program: Path) -> str:
        """Return the version of lwIP."""
        del program
        return lwip_firmware.version()

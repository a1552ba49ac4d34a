"""A constrained device on lwIP, with the TCP, the buffers and the reader of its firmware."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters import lwip_firmware
from lasthop.adapters.client import Client
from lasthop.adapters.programs.lwip_device import firmware_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.adapters.client import Errand


class LwipClient(Client):
    """It has a network stack of its own, so that its packets are those of lwIP."""

    name: ClassVar[str] = "lwip"
    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp"})
    program: ClassVar[str] = sys.executable
    install: ClassVar[str] = "apt-get install gcc cargo"
    takes_packets: ClassVar[bool] = True

    def find(self) -> Path:
        """Look for the source of lwIP, and for what compiles it.

        Raises
        ------
        EnvironmentFailure
            One of them is not there.
        """
        lwip_firmware.source()
        lwip_firmware.compiler()
        return Path(self.program)

    def version(self, program: Path) -> str:
        """Give that of lwIP."""
        del program
        return lwip_firmware.version()

    def prepare(self, errands: Iterable[Errand]) -> None:
        """Compile what the devices run."""
        for errand in errands:
            firmware_of(errand.device).path()

    def command(self, program: Path) -> list[str]:
        """Run what starts the device, and starts it again."""
        return [str(program), "-m", "lasthop.adapters.programs.lwip_device"]

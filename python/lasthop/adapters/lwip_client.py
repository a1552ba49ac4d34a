"""Adapter of lwIP as a constrained MQTT device with the buffers of its firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.client import Client
from lasthop.adapters.on_lwip import OnLwip
from lasthop.adapters.programs.lwip_device import firmware_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lasthop.adapters.client import Errand


class LwipClient(OnLwip, Client):
    """An MQTT client on lwIP that subscribes to topics."""

    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp"})

    def prepare(self, errands: Iterable[Errand]) -> None:
        """Compile the program of the devices."""
        for errand in errands:
            firmware_of(errand.device).path()

    def command(self, program: Path) -> list[str]:
        """Return the command that starts the device, and restarts it after a crash."""
        return [str(program), "-m", "lasthop.adapters.programs.lwip_device"]

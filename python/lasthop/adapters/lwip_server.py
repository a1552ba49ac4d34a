"""Adapter of lwIP as a constrained server of HTTP/1.1 or CoAP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.adapters.on_lwip import OnLwip
from lasthop.adapters.programs.lwip_device import firmware_of
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LISTENS = "listens"


class LwipServer(OnLwip, Adapter):
    """A server on lwIP: HTTP echoes a POST, and CoAP stores a PUT and notifies observers."""

    protocols: ClassVar[frozenset[str]] = frozenset({"http/tcp", "coap/udp"})
    settings: ClassVar[frozenset[str]] = frozenset({"type"})

    def check_devices(self, offer: Offer, *, are_foreign: bool) -> None:
        """Check that the server supports the kind of devices of the run.

        Raises
        ------
        UsageError
            They are real software, whose packets the kernel carries.
        """
        del offer
        if are_foreign:
            what = "it has its own network stack and works only with simulated devices"
            raise UsageError(f"impl={self.name}: {what}; remove client=")

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Compile the program and return the command that starts and restarts the server."""
        firmware_of(offer.device).path()
        errand = {
            "role": offer.application,
            "descriptor": offer.descriptor,
            "own": offer.address,
            "port": offer.port,
            "options": dict(offer.options),
            "device": offer.device,
        }
        file = offer.write("errand.json", json.dumps(errand))
        return [str(program), "-m", "lasthop.adapters.programs.lwip_server", str(file)]

    def listens(self, said: Sequence[str]) -> bool:
        """Return whether the server's output shows that it listens.

        The kernel does not know lwIP's ports.
        """
        return any(line.split()[:1] == [_LISTENS] for line in said)

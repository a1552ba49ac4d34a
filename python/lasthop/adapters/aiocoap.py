"""Adapter of aiocoap as a CoAP server (Python library)."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.errors import EnvironmentFailure

_SERVER = Path(__file__).with_name("programs") / "aiocoap_server.py"
_VERSION = "from importlib.metadata import version; print(version('aiocoap'))"


class Aiocoap(Adapter):
    """A CoAP server with aiocoap, which stores each PUT and notifies observers."""

    name: ClassVar[str] = "aiocoap"
    protocols: ClassVar[frozenset[str]] = frozenset({"coap/udp", "coap/tcp"})
    program: ClassVar[str] = sys.executable
    version_arguments: ClassVar[tuple[str, ...]] = ("-c", _VERSION)
    install: ClassVar[str] = "pip install aiocoap"
    oldest: ClassVar[tuple[int, ...]] = (0, 4, 7)

    def find(self) -> Path:
        """Return the path of Python if the library aiocoap is installed.

        Raises
        ------
        EnvironmentFailure
            It is not there.
        """
        if find_spec("aiocoap") is None:
            message = f"{self.name}: the library aiocoap is missing; {self.install}"
            raise EnvironmentFailure(message)
        return Path(self.program)

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the server on one address and transport."""
        return [str(program), str(_SERVER), offer.address, str(offer.port), offer.transport]

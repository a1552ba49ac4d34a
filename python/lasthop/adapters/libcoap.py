"""Adapter of the example server of libcoap, which stores each PUT and notifies observers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.adapter import Adapter, Offer

if TYPE_CHECKING:
    from pathlib import Path

_MOST_RESOURCES = 100_000
_WARNINGS = 4


class Libcoap(Adapter):
    """A CoAP server with libcoap: it creates a resource for each PUT to a new path."""

    name: ClassVar[str] = "libcoap"
    protocols: ClassVar[frozenset[str]] = frozenset({"coap/udp", "coap/tcp"})
    program: ClassVar[str] = "coap-server-notls"
    version_arguments: ClassVar[tuple[str, ...]] = ("-?",)
    install: ClassVar[str] = "apt-get install libcoap3-bin"
    settings: ClassVar[frozenset[str]] = frozenset({"type"})
    oldest: ClassVar[tuple[int, ...]] = (4, 3)

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the server with the stack's notification type."""
        words = [str(program), "-A", offer.address, "-p", str(offer.port)]
        words += ["-d", str(_MOST_RESOURCES), "-v", str(_WARNINGS)]
        return [*words, "-N"] if offer.options.get("type") == "non" else words

"""Adapter of Eclipse Californium as a CoAP server (Java library)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.maven_program import MavenProgram

if TYPE_CHECKING:
    from pathlib import Path

    from lasthop.adapters.adapter import Offer


class Californium(MavenProgram):
    """A CoAP server with Californium that stores each PUT and notifies observers."""

    name: ClassVar[str] = "californium"
    protocols: ClassVar[frozenset[str]] = frozenset({"coap/udp"})
    settings: ClassVar[frozenset[str]] = frozenset({"type"})
    library: ClassVar[str] = "californium-core"
    main: ClassVar[str] = "CaliforniumServer"
    memory: ClassVar[str] = "128m"
    properties: ClassVar[tuple[str, ...]] = ("org.slf4j.simpleLogger.defaultLogLevel=warn",)

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the server on an address."""
        kind = str(offer.options.get("type", "con"))
        return [*self.java(program), offer.address, str(offer.port), kind]

"""Adapter of lasthop's own servers (`lasthop serve`) on kernel sockets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.live import scheme_of

if TYPE_CHECKING:
    from pathlib import Path

_SERVED = {
    "mqtt/tcp": "mqtt",
    "mqtt/tls/tcp": "mqtt",
    "mqtt/ws/tcp": "mqtt_ws",
    "mqtt/ws/tls/tcp": "mqtt_ws",
    "mqtt/quic/udp": "mqtt_quic",
    "coap/udp": "coap",
    "coap/tcp": "coap_tcp",
    "coap/tls/tcp": "coap_tcp",
    "json_udp/udp": "json_udp",
}
_BESIDE = {"mqtt_ws": ("mqtt", "--ws"), "mqtt_quic": ("mqtt", "--quic")}
"""Services that share a server with another one, and the option that enables each."""


class OwnServer(Adapter):
    """Lasthop's server without authentication.

    Its limits and stack settings are those of `serve`.
    """

    name: ClassVar[str] = "lasthop"
    protocols: ClassVar[frozenset[str]] = frozenset(_SERVED)
    program: ClassVar[str] = sys.executable
    version_arguments: ClassVar[tuple[str, ...]] = ("-m", "lasthop", "--version")
    install: ClassVar[str] = "pip install lasthop"

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the server on one address."""
        served = _SERVED[offer.protocol]
        named, *options = _BESIDE.get(served, (served,))
        secured = offer.presented is not None
        at = [f"{scheme_of(served, secured=secured).name}://{offer.address}:{offer.port}"]
        if options:
            at += [f"{scheme_of(named, secured=secured).name}://127.0.0.1"]
        words = [str(program), "-m", "lasthop", "serve", named, *options]
        words += [f"--listen={address}" for address in at]
        if offer.presented is not None:
            words += [
                f"--tls-cert={offer.presented.certificate}",
                f"--tls-key={offer.presented.key}",
            ]
            if offer.presented.client_roots is not None:
                words += [f"--client-ca={offer.presented.client_roots}"]
        return words

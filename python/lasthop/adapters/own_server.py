"""Our own servers, as `lasthop serve` has them on the sockets of the kernel."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.live import scheme_of

if TYPE_CHECKING:
    from pathlib import Path

_SERVED = {
    ("mqtt", "tcp"): "mqtt",
    ("coap", "udp"): "coap",
    ("coap", "tcp"): "coap_tcp",
    ("json_udp", "udp"): "json_udp",
}


class OwnServer(Adapter):
    """Everybody is let in; limits of clients and settings of the stack are those of `serve`."""

    name: ClassVar[str] = "lasthop"
    protocols: ClassVar[frozenset[str]] = frozenset("/".join(it) for it in _SERVED)
    program: ClassVar[str] = sys.executable
    version_arguments: ClassVar[tuple[str, ...]] = ("-m", "lasthop", "--version")
    install: ClassVar[str] = "pip install lasthop"

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Let it listen there alone."""
        served = _SERVED[offer.application, offer.transport]
        scheme = scheme_of(served, secured=False).name
        at = f"{scheme}://{offer.address}:{offer.port}"
        return [str(program), "-m", "lasthop", "serve", served, "--listen", at]

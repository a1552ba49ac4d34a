"""Adapter of Eclipse Mosquitto, an MQTT broker in C."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.adapter import Adapter, Offer

if TYPE_CHECKING:
    from pathlib import Path

_CONFIGURATION = """\
allow_anonymous true
persistence false
set_tcp_nodelay {nodelay}
max_inflight_messages {max_in_flight}
max_queued_messages 0
log_dest stderr
log_type error
log_type warning
log_type notice
log_type information
connection_messages true
"""
_LISTENER = "listener {port} {address}\n"
# Its WebSockets listen at every address, and not without a listener of the other kind.
_WEB_LISTENER = "listener {other_port} 127.0.0.1\nlistener {port}\nprotocol websockets\n"
# Nobody but root may read the key.
_SECURED = "user root\ncertfile {presented.certificate}\nkeyfile {presented.key}\n"
_ASKING = "cafile {presented.client_roots}\nrequire_certificate true\n"

_USUAL_IN_FLIGHT = 20  # mosquitto.conf(5)


class Mosquitto(Adapter):
    """Mosquitto without persistence and authentication, with unbounded queues."""

    name: ClassVar[str] = "mosquitto"
    protocols: ClassVar[frozenset[str]] = frozenset(
        {"mqtt/tcp", "mqtt/ws/tcp", "mqtt/tls/tcp", "mqtt/ws/tls/tcp"}
    )
    program: ClassVar[str] = "mosquitto"
    version_arguments: ClassVar[tuple[str, ...]] = ("-h",)
    install: ClassVar[str] = "apt-get install mosquitto"
    settings: ClassVar[frozenset[str]] = frozenset({"tcp.nodelay_server", "max_in_flight"})
    oldest: ClassVar[tuple[int, ...]] = (2, 0)

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Write the configuration and return the command that starts the broker."""
        in_flight = offer.options.get("max_in_flight", _USUAL_IN_FLIGHT)
        nodelay = bool(offer.options.get("tcp.nodelay_server", True))
        parts = [_CONFIGURATION, _WEB_LISTENER if "ws" in offer.layers else _LISTENER]
        if offer.presented is not None:
            parts += [_SECURED] if offer.presented.client_roots is None else [_SECURED, _ASKING]
        content = "".join(parts).format(
            address=offer.address,
            port=offer.port,
            other_port=offer.port ^ 1,
            presented=offer.presented,
            nodelay=str(nodelay).lower(),
            max_in_flight=in_flight,
        )
        return [str(program), "-c", str(offer.write("mosquitto.conf", content))]

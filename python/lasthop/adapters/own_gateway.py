"""Adapter of lasthop's own device gateway (`lasthop serve gateway`) on kernel sockets."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, ClassVar

from lasthop import _native
from lasthop.adapters.adapter import Adapter, Offer
from lasthop.adapters.card import Card
from lasthop.errors import UsageError
from lasthop.live import read_gateway_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SCHEMES = {
    "mqtt/tcp": "mqtt",
    "mqtt/tls/tcp": "mqtts",
    "mqtt/quic/udp": "mqtt+quic",
    "http/tls/tcp": "https",
    "http/quic/udp": "h3",
}
_BESIDE = {"mqtt/quic/udp": "--quic", "http/tls/tcp": "--http", "http/quic/udp": "--http3"}
"""Services beside MQTT over TCP, and the option that enables each."""
_REGISTRY = "projects/p/locations/l/registries/r/devices"
_DAY_S = 24 * 3600


class OwnGateway(Adapter):
    """Lasthop's device gateway with a key for each device.

    Its log is deleted after the run. Each device is registered with its own key, and the log is
    deleted.
    """

    name: ClassVar[str] = "gateway"
    protocols: ClassVar[frozenset[str]] = frozenset(_SCHEMES)
    program: ClassVar[str] = sys.executable
    version_arguments: ClassVar[tuple[str, ...]] = ("-m", "lasthop", "--version")
    install: ClassVar[str] = "pip install lasthop"

    def check(self, offer: Offer) -> None:
        """Check that the devices present tokens and wait for the acknowledgement of each message.

        Raises
        ------
        UsageError
            They do not, or it speaks other protocols.
        """
        super().check(offer)
        if offer.options.get("auth") != "jwt":
            raise UsageError("impl=gateway: its clients must present tokens; add auth=jwt")
        if (qos := str(offer.options.get("qos", 1))) != "1":
            what = "does not accept QoS 2" if qos == "2" else "does not acknowledge QoS 0"
            raise UsageError(f"impl=gateway: it {what}; write qos=1")

    def check_devices(self, offer: Offer, *, are_foreign: bool) -> None:
        """Check that the devices are real software, which can receive tokens.

        Raises
        ------
        UsageError
            They are ours, whose keys the run makes and nobody else knows.
        """
        del offer
        if not are_foreign:
            message = "impl=gateway: it does not know the keys of simulated devices"
            raise UsageError(f"{message}; write for example client=paho, or use lasthop load")

    def admit(self, offer: Offer, devices: Sequence[str]) -> Mapping[str, Card]:
        """Register devices with new keys, and return their tokens, which are valid for a day."""
        administration = _native.GatewayAdministration(read_gateway_data(self._data(offer)))
        now, is_http, cards, keys = int(time.time()), offer.application == "http", {}, []
        for device in devices:
            path = f"{_REGISTRY}/{device}"
            private, public = _native.gateway_new_key()
            keys.append((path, [public]))
            cards[device] = Card(
                identity=path,
                token=_native.gateway_token(path, private, issued_at=now, life_s=_DAY_S),
                topic=f"/v1/{path}:publishEvent" if is_http else f"/devices/{device}/events",
                wrapped_in="binary_data" if is_http else "",
            )
        administration.put_devices(keys, keep=False, tell=lambda _: None)
        return cards

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the gateway.

        Its listener for MQTT over TCP can stay unused.
        """
        words = [str(program), "-m", "lasthop", "serve", "gateway", f"--data={self._data(offer)}"]
        words.append(f"--listen={_SCHEMES[offer.protocol]}://{offer.address}:{offer.port}")
        if offer.protocol in _BESIDE:
            words += [_BESIDE[offer.protocol], "--listen=mqtts://127.0.0.1:0"]
        if offer.presented is not None:
            words += [
                f"--tls-cert={offer.presented.certificate}",
                f"--tls-key={offer.presented.key}",
            ]
        return words

    @staticmethod
    def _data(offer: Offer) -> str:
        if offer.folder is None:
            raise ValueError("a gateway keeps its data in a folder")
        return str(offer.folder / "gateway")

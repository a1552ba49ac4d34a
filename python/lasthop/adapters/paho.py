"""Adapter of Eclipse Paho as an MQTT device (Python library)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class Paho(PythonClient):
    """An MQTT client with paho's window and timeouts, and the stack's QoS, version and keep-alive.

    Of TLS it is given the version, the name of the server and the root of its certificate.
    """

    name: ClassVar[str] = "paho"
    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp", "mqtt/tls/tcp"})
    connects_again: ClassVar[bool] = True
    shows_tokens: ClassVar[bool] = True
    library: ClassVar[str] = "paho.mqtt"
    package: ClassVar[str] = "paho-mqtt"
    script: ClassVar[str] = "paho_device"
    install: ClassVar[str] = "pip install paho-mqtt"
    oldest: ClassVar[tuple[int, ...]] = (2, 0)

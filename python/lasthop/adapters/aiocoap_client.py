"""Adapter of aiocoap as a CoAP device (Python library)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class AiocoapClient(PythonClient):
    """A CoAP client that PUTs messages and observes resources, with aiocoap's own timers."""

    name: ClassVar[str] = "aiocoap"
    protocols: ClassVar[frozenset[str]] = frozenset({"coap/udp", "coap/tcp"})
    library: ClassVar[str] = "aiocoap"
    package: ClassVar[str] = "aiocoap"
    script: ClassVar[str] = "aiocoap_device"
    install: ClassVar[str] = "pip install aiocoap"
    oldest: ClassVar[tuple[int, ...]] = (0, 4, 8)

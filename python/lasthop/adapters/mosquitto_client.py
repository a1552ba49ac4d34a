"""A device that is made with libmosquitto, the MQTT library of Eclipse Mosquitto, in C."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.programs import libmosquitto
from lasthop.adapters.shared_library import SharedLibraryClient


class MosquittoClient(SharedLibraryClient):
    """A client with its own queue and given QoS, version, keep-alive, window and Nagle."""

    name: ClassVar[str] = "mosquitto"
    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp"})
    library: ClassVar[str] = libmosquitto.NAME
    binding: ClassVar[str] = "libmosquitto"
    script: ClassVar[str] = "mosquitto_device"
    install: ClassVar[str] = "apt-get install libmosquitto1"
    oldest: ClassVar[tuple[int, ...]] = (2, 0)

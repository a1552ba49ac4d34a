"""Adapter of libmosquitto as an MQTT device (C library of Eclipse Mosquitto)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.programs import libmosquitto
from lasthop.adapters.shared_library import SharedLibraryClient


class MosquittoClient(SharedLibraryClient):
    """An MQTT client with libmosquitto's queue and the stack's QoS, version and window."""

    name: ClassVar[str] = "mosquitto"
    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp"})
    library: ClassVar[str] = libmosquitto.NAME
    binding: ClassVar[str] = "libmosquitto"
    script: ClassVar[str] = "mosquitto_device"
    install: ClassVar[str] = "apt-get install libmosquitto1"
    oldest: ClassVar[tuple[int, ...]] = (2, 0)

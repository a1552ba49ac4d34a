"""Adapter of libcoap as a CoAP device (C library)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.programs import libcoap
from lasthop.adapters.shared_library import SharedLibraryClient


class LibcoapClient(SharedLibraryClient):
    """A CoAP client that PUTs messages and observes resources with the stack's timers."""

    name: ClassVar[str] = "libcoap"
    protocols: ClassVar[frozenset[str]] = frozenset({"coap/udp", "coap/tcp"})
    library: ClassVar[str] = libcoap.NAME
    binding: ClassVar[str] = "libcoap"
    script: ClassVar[str] = "libcoap_device"
    install: ClassVar[str] = "apt-get install libcoap3"
    oldest: ClassVar[tuple[int, ...]] = (4, 3)

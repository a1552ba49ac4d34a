"""Adapter of Eclipse Cyclone DDS as a device (Python binding)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class CycloneDdsClient(PythonClient):
    """A client that writes reports and reads its device's messages, with the stack's QoS."""

    name: ClassVar[str] = "cyclonedds"
    protocols: ClassVar[frozenset[str]] = frozenset({"dds/udp"})
    library: ClassVar[str] = "cyclonedds"
    package: ClassVar[str] = "cyclonedds"
    script: ClassVar[str] = "cyclonedds_device"
    install: ClassVar[str] = "pip install cyclonedds"
    oldest: ClassVar[tuple[int, ...]] = (0, 10, 5)

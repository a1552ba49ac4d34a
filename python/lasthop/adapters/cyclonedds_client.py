"""A device that is made with Eclipse Cyclone DDS, by its binding for Python."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class CycloneDdsClient(PythonClient):
    """A client that writes reports and reads messages for its device, with given policies."""

    name: ClassVar[str] = "cyclonedds"
    protocols: ClassVar[frozenset[str]] = frozenset({"dds/udp"})
    library: ClassVar[str] = "cyclonedds"
    package: ClassVar[str] = "cyclonedds"
    script: ClassVar[str] = "cyclonedds_device"
    install: ClassVar[str] = "pip install cyclonedds"
    oldest: ClassVar[tuple[int, ...]] = (0, 10, 5)

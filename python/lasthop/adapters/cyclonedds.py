"""Adapter of Eclipse Cyclone DDS as a server (Python binding)."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.adapters.policies import DDS_SETTINGS, dds_policies
from lasthop.errors import EnvironmentFailure

_SERVER = Path(__file__).with_name("programs") / "cyclonedds_server.py"
_VERSION = "from importlib.metadata import version; print(version('cyclonedds'))"


class CycloneDds(Adapter):
    """A DDS server that returns every report to its device. The wheel contains the C library."""

    name: ClassVar[str] = "cyclonedds"
    protocols: ClassVar[frozenset[str]] = frozenset({"dds/udp"})
    program: ClassVar[str] = sys.executable
    version_arguments: ClassVar[tuple[str, ...]] = ("-c", _VERSION)
    install: ClassVar[str] = "pip install cyclonedds"
    settings: ClassVar[frozenset[str]] = DDS_SETTINGS
    oldest: ClassVar[tuple[int, ...]] = (0, 10, 5)

    def find(self) -> Path:
        """Return the path of Python if the library cyclonedds is installed.

        Raises
        ------
        EnvironmentFailure
            It is not there.
        """
        if find_spec("cyclonedds") is None:
            message = f"{self.name}: the library cyclonedds is missing; {self.install}"
            raise EnvironmentFailure(message)
        return Path(self.program)

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the first participant of domain 0 with the stack's QoS.

        Raises
        ------
        UsageError
            Our participants describe their types, by which the two never match.
        """
        policies = dds_policies(self.name, offer.options)
        return [str(program), str(_SERVER), offer.address, str(offer.port), *policies]

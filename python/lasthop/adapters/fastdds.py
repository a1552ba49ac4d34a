"""Adapter of eProsima Fast DDS as a server (C++ library)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.adapters.native_library import NativeLibrary
from lasthop.adapters.policies import DDS_SETTINGS, dds_policies

FAST_DDS = NativeLibrary(
    name="fastdds",
    links="fastrtps",
    header=Path("/usr/include/fastdds/dds/domain/DomainParticipant.hpp"),
    install="apt-get install g++ libfastrtps-dev",
)
_PROGRAMS = "lasthop.adapters.programs"


class FastDds(Adapter):
    """A DDS server that forwards every report to the readers of its device's topic."""

    name: ClassVar[str] = "fastdds"
    protocols: ClassVar[frozenset[str]] = frozenset({"dds/udp", "dds/rtps_tcp/tcp"})
    program: ClassVar[str] = sys.executable
    install: ClassVar[str] = FAST_DDS.install
    settings: ClassVar[frozenset[str]] = DDS_SETTINGS | {"tcp.nodelay_server"}
    oldest: ClassVar[tuple[int, ...]] = (2, 9)

    def find(self) -> Path:
        """Compile the server around the library, and return the path of Python."""
        FAST_DDS.path()
        return Path(self.program)

    def version_command(self, program: Path) -> list[str]:
        """Return the command that prints the version of the library."""
        return [str(program), "-m", f"{_PROGRAMS}.fastdds", str(FAST_DDS.path())]

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the first participant of domain 0 with the stack's QoS.

        Raises
        ------
        UsageError
            Our participants describe their types, by which the two never match.
        """
        nodelay = "on" if offer.options.get("tcp.nodelay_server", True) else "off"
        policies = dds_policies(self.name, offer.options)
        where = [offer.address, offer.transport, str(offer.port), nodelay, *policies]
        return [str(program), "-m", f"{_PROGRAMS}.fastdds_server", str(FAST_DDS.path()), *where]

"""Adapter of HiveMQ Community Edition, an MQTT broker in Java."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.maven_program import MavenProgram

if TYPE_CHECKING:
    from pathlib import Path

    from lasthop.adapters.adapter import Offer

_CONFIGURATION = """\
<?xml version="1.0"?>
<hivemq>
  <listeners>
    <tcp-listener><port>{port}</port><bind-address>{address}</bind-address></tcp-listener>
  </listeners>
  <persistence><mode>in-memory</mode></persistence>
  <mqtt><queued-messages><max-queue-size>1000000</max-queue-size></queued-messages></mqtt>
  <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
</hivemq>
"""


class HiveMq(MavenProgram):
    """HiveMQ without persistence and authentication, with a queue of a million messages a client.

    Nagle's algorithm and the window of messages in flight are its own.
    """

    name: ClassVar[str] = "hivemq"
    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp"})
    library: ClassVar[str] = "hivemq-community-edition-embedded"
    main: ClassVar[str] = "HiveMqServer"

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Write the configuration and return the command that starts the broker."""
        content = _CONFIGURATION.format(address=offer.address, port=offer.port)
        return [*self.java(program), str(offer.write("config.xml", content).parent)]

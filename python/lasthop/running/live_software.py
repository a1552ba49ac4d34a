"""The real software of runs: found, asked for its version, held against what it is to speak."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.adapters import Offer
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.adapters import Adapter, Bindings, Client
    from lasthop.adapters.software import Software


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A server of a run that is real software, and what stands for it here."""

    number: int
    name: str
    software: str
    adapter: Adapter
    program: Path
    version: str
    offer: Offer
    congestion: str | None


class LiveSoftware:
    """Knows what stands for the names of stacks; a build is asked for its version once.

    Parameters
    ----------
    bindings
        The user's own builds.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._versions: dict[tuple[str, Path], str] = {}
        self._seen: set[tuple[str, ...]] = set()

    def check(self, server: Mapping[str, Any], clients: Iterable[str]) -> None:
        """Look for a server and for what the devices are.

        Raises
        ------
        UsageError
            Nobody knows a name, or it does not speak the protocol.
        EnvironmentFailure
            A program is missing or too old.
        """
        protocols = [_protocol(service) for service in server["services"]]
        key = (server["software"], *protocols, *clients)
        if key in self._seen:
            return
        self._seen.add(key)
        self.server(server, Path())
        for name in clients:
            client, program = self.client(name)
            if protocols[0] not in client.protocols:
                known = ", ".join(sorted(client.protocols))
                raise UsageError(f"client={name}: it speaks {known}, and no {protocols[0]}")
            self.version(client, program)

    def client(self, name: str) -> tuple[Client, Path]:
        """Give what devices of a name are, and its program."""
        return self._bindings.resolve_client(name)

    def version(self, software: Software, program: Path) -> str:
        """Give the version of a program."""
        build = (software.name, program)
        if build not in self._versions:
            self._versions[build] = software.version(program)
        return self._versions[build]

    def server(self, told: Mapping[str, Any], folder: Path) -> LiveServer:
        """Give a server of a run, and what it is to offer."""
        software, services = told["software"], told["services"]
        if len(services) != 1:
            message = f"{software}: {len(services)} services of {told['name']}; it offers one"
            raise UsageError(message)
        (service,) = services
        adapter, program = self._bindings.resolve(software)
        protocol = _protocol(service)
        if protocol not in adapter.protocols:
            known = ", ".join(sorted(adapter.protocols))
            raise UsageError(f"impl={software}: it serves {known}, and no {protocol}")
        options = dict(service["application"]["options"])
        for layer in service["layers"]:
            options |= {f"{layer['name']}.{key}": it for key, it in layer["options"].items()}
        offer = Offer(
            address=told["address"],
            port=service["port"],
            transport=service["layers"][-2]["name"],
            options=options,
            folder=folder,
            application=service["application"]["name"],
        )
        return LiveServer(
            number=told["number"],
            name=told["name"],
            software=software,
            adapter=adapter,
            program=program,
            version=self.version(adapter, program),
            offer=offer,
            congestion=options.get("tcp.congestion"),
        )


def clients_of(spec_json: str) -> list[str]:
    """Name the real software that devices of a run are."""
    stacks = json.loads(spec_json)["stacks"].values()
    return sorted({stack["client"] for stack in stacks if stack.get("client") is not None})


def _protocol(service: Mapping[str, Any]) -> str:
    layers = [service["application"], *service["layers"][:-1]]
    return "/".join(layer["name"] for layer in layers)

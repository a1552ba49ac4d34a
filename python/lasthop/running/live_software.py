"""Finds the real software of runs and checks its version and protocols."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.adapters import Offer
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lasthop.adapters import Adapter, Bindings, Card, Client, PresentedFiles
    from lasthop.adapters.build import Build
    from lasthop.adapters.software import Software


@dataclass(frozen=True, slots=True)
class LiveProgram:
    """A program of a server, and the service that it offers."""

    software: str
    adapter: Adapter
    program: Path
    version: str
    offer: Offer


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A real-software server of a run, with its programs.

    Parameters
    ----------
    programs
        The program that clients meet first, and the server behind it if they differ.
    """

    number: int
    name: str
    programs: tuple[LiveProgram, ...]
    congestion: str | None

    @property
    def offer(self) -> Offer:
        """Return the service that clients use."""
        return self.programs[0].offer

    def admit(self, devices: Sequence[str]) -> Mapping[str, Card]:
        """Register devices at the server, and return their credentials by name."""
        return {
            name: card
            for it in self.programs
            for name, card in it.adapter.admit(it.offer, devices).items()
        }

    @property
    def takes_packets(self) -> bool:
        """Return whether the program that clients meet has its own network stack."""
        return self.programs[0].adapter.takes_packets

    def with_packets(self, descriptor: int) -> LiveServer:
        """Return a copy of the server with a socket for its packets."""
        first, *others = self.programs
        first = replace(first, offer=replace(first.offer, descriptor=descriptor))
        return replace(self, programs=(first, *others))


class LiveSoftware:
    """Resolves software names to programs, and caches their versions.

    Parameters
    ----------
    bindings
        The user's own builds.

    Attributes
    ----------
    builds
        Builds of all checked software, by stack option: ``impl=mine``, ``client=paho``.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._versions: dict[tuple[str, Path], str] = {}
        self._seen: set[tuple[str, ...]] = set()
        self.builds: dict[str, Build] = {}

    def check(
        self, server: Mapping[str, Any], clients: Iterable[str], *, connects_again: bool = False
    ) -> None:
        """Check the server and the client software, including repeated connections.

        Raises
        ------
        UsageError
            Nobody knows a name, or it does not do what is asked of it.
        EnvironmentFailure
            A program is missing or too old.
        """
        key = (str(server), *clients, str(connects_again))
        if key in self._seen:
            return
        self._seen.add(key)
        found = self.server(server, Path())
        for program in found.programs:
            program.adapter.check_devices(program.offer, are_foreign=bool(clients))
            self.builds[f"impl={program.software}"] = self._bindings.build(
                program.software, program.program, program.version
            )
        for name in clients:
            client, build = self.client(name)
            options, protocol = found.offer.options, found.offer.protocol
            client.check(protocol, options, connects_again=connects_again)
            version = self.version(client, build)
            self.builds[f"client={name}"] = self._bindings.build(
                name, build, version, of_devices=True
            )

    def client(self, name: str) -> tuple[Client, Path]:
        """Return the client adapter of a name, and its program."""
        return self._bindings.resolve_client(name)

    def version(self, software: Software, program: Path) -> str:
        """Return the version of a program."""
        build = (software.name, program)
        if build not in self._versions:
            self._versions[build] = software.version(program)
        return self._versions[build]

    def server(
        self, told: Mapping[str, Any], folder: Path, presented: PresentedFiles | None = None
    ) -> LiveServer:
        """Return a server of a run with its offer. Its files are put into the folder.

        Raises
        ------
        UsageError
            Nobody knows a name, or it does not speak the protocol.
        """
        software, services = told["software"], told["services"]
        # Devices that are other software find the same service.
        spoken = [(service["application"], service["layers"]) for service in services]
        service = services[0]
        if any(one != spoken[0] for one in spoken):
            message = (
                f"{software}: it offers one service, and {told['name']} has "
                f"{len(services)}; write one service for this server"
            )
            raise UsageError(message)
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
            layers=tuple(layer["name"] for layer in service["layers"][:-1]),
            presented=presented,
            device=told["device"],
        )
        programs = tuple(
            LiveProgram(name, adapter, program, self.version(adapter, program), offer)
            for name, adapter, program, offer in self._bindings.resolve_chain(software, offer)
        )
        return LiveServer(told["number"], told["name"], programs, options.get("tcp.congestion"))


def connects_again(spec_json: str) -> bool:
    """Return whether devices of a run open more than one connection."""
    return any(flow["session"] != "keep" for flow in json.loads(spec_json)["flows"])


def clients_of(spec_json: str) -> list[str]:
    """Return the names of the real software that devices of a run use."""
    stacks = json.loads(spec_json)["stacks"].values()
    return sorted({stack["client"] for stack in stacks if stack.get("client") is not None})

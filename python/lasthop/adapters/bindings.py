"""Maps the software names of stacks to programs: installed adapters or builds of the user."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lasthop.adapters.build import Build, files_of
from lasthop.adapters.own_command import OwnCommand
from lasthop.adapters.registry import adapter_of, clients
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lasthop.adapters.adapter import Adapter, Offer
    from lasthop.adapters.client import Client

_LOOPBACK = "127.0.0.1"
_OTHER_PORT = 2
"""Ports that distinguish two programs in one network namespace."""


class Bindings:
    """Commands of the user's own builds, by the software name in a stack.

    A study names software alone; a command comes from an adapter or from the command line.
    """

    def __init__(self, commands: Mapping[str, str] | None = None) -> None:
        self._commands = dict(commands or {})
        self._files: dict[tuple[Path, str | None], Mapping[str, str]] = {}

    @classmethod
    def read(cls, written: Iterable[str]) -> Self:
        """Parse ``NAME=COMMAND`` options.

        Raises
        ------
        UsageError
            One has another form.
        """
        commands: dict[str, str] = {}
        for text in written:
            name, equals, command = text.partition("=")
            if not equals or not name.strip() or not command.strip():
                what = f'--impl: "{text}" is not NAME=COMMAND'
                raise UsageError(f"{what}; write for example --impl mine=./broker")
            if name.strip() in commands:
                raise UsageError(f"--impl: {name.strip()} is given twice; remove one of them")
            commands[name.strip()] = command.strip()
        return cls(commands)

    @property
    def names(self) -> frozenset[str]:
        """Return the names that are bound to a program."""
        return frozenset(self._commands)

    def build(self, name: str, program: Path, version: str, *, of_devices: bool = False) -> Build:
        """Identify the build of a server or client software. Its files are read once.

        Raises
        ------
        EnvironmentFailure
            A file of it cannot be read.
        UsageError
            Its command names a folder with too many files.
        """
        command = None if of_devices else self._commands.get(name)
        key = (program, command)
        if key not in self._files:
            self._files[key] = files_of(program, command)
        return Build(command=command, version=version, files=self._files[key])

    def resolve_client(self, name: str) -> tuple[Client, Path]:
        """Return the client adapter of a software name, and the path of its program.

        Raises
        ------
        UsageError
            Nobody knows the name.
        EnvironmentFailure
            The adapter's program is missing.
        """
        client = clients().get(name)
        if client is None:
            known = ", ".join(clients())
            raise UsageError(
                f"client={name}: there is no client software of this name; write one of {known}"
            )
        return client, client.find()

    def resolve_chain(self, names: str, offer: Offer) -> Iterator[tuple[str, Adapter, Path, Offer]]:
        """Yield adapter, program and offer of each part of a server, such as ``nginx+mosquitto``.

        The first is the one that clients meet.

        Raises
        ------
        UsageError
            Nobody knows a name, or it does not speak the protocol.
        EnvironmentFailure
            A program is missing.
        """
        name, plus, rest = names.partition("+")
        adapter, program = self.resolve(name)
        if plus:
            adapter.check_what_it_shows(offer)
            offer = replace(offer, behind=_behind(name, adapter, offer, rest))
        elif adapter.takes_off is not None:
            message = (
                f"impl={name}: it is a proxy and needs a server behind it; "
                f"write impl={name}+mosquitto"
            )
            raise UsageError(message)
        else:
            adapter.check(offer)
        yield name, adapter, program, offer
        if offer.behind is not None:
            yield from self.resolve_chain(rest, offer.behind)

    def resolve(self, name: str) -> tuple[Adapter, Path]:
        """Return the server adapter of a software name, and the path of its program.

        An adapter's name that is bound means another build of the same software.

        Raises
        ------
        UsageError
            Nobody knows the name, or what is bound to it is not there.
        EnvironmentFailure
            The adapter's program is missing.
        """
        adapter, command = adapter_of(name), self._commands.get(name)
        if adapter is None:
            if command is None:
                raise UsageError(
                    f"impl={name}: there is no server software of this name; "
                    f"add --impl {name}=COMMAND, or correct the name"
                )
            own = OwnCommand(name, command)
            return own, own.find()
        if command is None:
            return adapter, adapter.find()
        found = shutil.which(command)
        if found is None:
            message = f'--impl {name}: there is no program "{command}"; write the path of a build'
            raise UsageError(message)
        return adapter, Path(found).resolve()


def _behind(name: str, front: Adapter, offer: Offer, rest: str) -> Offer:
    """Return the offer of the server behind a proxy that terminates a layer."""
    layer = front.takes_off
    if layer is None:
        raise UsageError(
            f"impl={name}+{rest}: {name} is a server and not a proxy; write impl={name}"
        )
    if layer not in offer.layers:
        message = (
            f"impl={name}+{rest}: {name} terminates {layer}, which the stack "
            f"of {offer.protocol} does not have; add the layer, or write "
            f"impl={rest}"
        )
        raise UsageError(message)
    return replace(
        offer,
        address=_LOOPBACK,
        port=offer.port ^ _OTHER_PORT,
        layers=tuple(it for it in offer.layers if it != layer),
        presented=None,
    )

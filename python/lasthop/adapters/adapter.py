"""What lasthop must know of a program to let it be a server of a study."""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VERSION_S = 20.0
_WHERE_SERVERS_LIE = "/usr/local/sbin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server is asked to offer.

    Parameters
    ----------
    address
        Where it listens; nobody else has this address.
    transport
        ``tcp`` or ``udp``.
    options
        Of the protocol and of each layer, as in the run spec, by ``layer.option``; those of the
        protocol without prefix.
    folder
        For its files: empty, and gone after the run.
    """

    address: str
    port: int
    transport: str
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None

    def write(self, name: str, content: str) -> Path:
        """Write a file of its configuration.

        Raises
        ------
        ValueError
            There is no folder: the offer was made to look, not to serve.
        """
        if self.folder is None:
            raise ValueError(f"{name} has no folder")
        file = self.folder / name
        file.write_text(content, encoding="utf-8")
        return file


class Adapter(ABC):
    """A program that serves a protocol.

    Attributes
    ----------
    name
        What a stack calls it: ``impl=name``.
    protocols
        What it serves, as a stack is written: ``mqtt/tcp``.
    program
        The command.
    version_arguments
        Those with which it tells its version.
    install
        What brings it, for those who lack it.
    settings
        Options of a stack that it is given; of the others its own values hold.
    """

    name: ClassVar[str]
    protocols: ClassVar[frozenset[str]]
    program: ClassVar[str]
    version_arguments: ClassVar[tuple[str, ...]] = ()
    install: ClassVar[str]
    settings: ClassVar[frozenset[str]] = frozenset()
    oldest: ClassVar[tuple[int, ...]] = ()
    """The first version that it is known to work with."""
    ready_s: ClassVar[float] = 30.0
    """If it does not listen by then it never will."""

    @abstractmethod
    def command(self, program: Path, offer: Offer) -> list[str]:
        """Write its files into the folder and give the command that stays in the foreground."""

    def version_command(self, program: Path) -> list[str]:
        """Give the command that tells the version."""
        return [str(program), *self.version_arguments]

    def find(self) -> Path:
        """Look for the program.

        Raises
        ------
        EnvironmentFailure
            It is not there; the line says what brings it.
        """
        from pathlib import Path  # noqa: PLC0415  (types alone need it elsewhere)

        found = shutil.which(self.program) or shutil.which(self.program, path=_WHERE_SERVERS_LIE)
        if found is None:
            message = f"{self.name}: the program {self.program} is missing; {self.install}"
            raise EnvironmentFailure(message)
        return Path(found)

    def version(self, program: Path) -> str:
        """Ask a program for its version.

        Raises
        ------
        EnvironmentFailure
            It is another program, or too old.
        """
        command = self.version_command(program)
        try:
            done = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_VERSION_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            message = f"{self.name}: {program} does not run: {error}; {self.install}"
            raise EnvironmentFailure(message) from error
        told = re.search(r"\d+(\.\d+)+", done.stdout)
        if told is None:
            asked = " ".join(command)
            message = f"{self.name}: {asked} tells no version; {self.install}"
            raise EnvironmentFailure(message)
        version = told[0]
        if tuple(map(int, version.split("."))) < self.oldest:
            wanted = ".".join(map(str, self.oldest))
            message = (
                f"{self.name}: {program} is version {version}, and it takes {wanted} or later; "
                f"{self.install}"
            )
            raise EnvironmentFailure(message)
        return version

"""Interface of real software: finding the program and reading its version."""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import ABC
from typing import TYPE_CHECKING, ClassVar

from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from pathlib import Path

_VERSION_S = 20.0
_WHERE_SERVERS_LIE = "/usr/local/sbin:/usr/sbin:/sbin"


class Software(ABC):
    """A real program that implements a protocol.

    Attributes
    ----------
    name
        Name of the software in a stack.
    protocols
        Supported protocols in the notation of stacks: ``mqtt/tcp``.
    program
        Name of the command.
    version_arguments
        Arguments with which the program prints its version.
    install
        Command that installs the software, for errors.
    """

    name: ClassVar[str]
    protocols: ClassVar[frozenset[str]]
    program: ClassVar[str]
    version_arguments: ClassVar[tuple[str, ...]] = ()
    install: ClassVar[str]
    oldest: ClassVar[tuple[int, ...]] = ()
    """The oldest supported version of the software."""

    def version_command(self, program: Path) -> list[str]:
        """Return the command that prints the version."""
        return [str(program), *self.version_arguments]

    def find(self) -> Path:
        """Return the path of the program.

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
        """Run a program to get its version, and check that the version is supported.

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
            message = f"{self.name}: {asked} prints no version; {self.install}"
            raise EnvironmentFailure(message)
        version = told[0]
        if tuple(map(int, version.split("."))) < self.oldest:
            wanted = ".".join(map(str, self.oldest))
            message = (
                f"{self.name}: {program} has version {version}, and lasthop needs "
                f"{wanted} or later; {self.install}"
            )
            raise EnvironmentFailure(message)
        return version

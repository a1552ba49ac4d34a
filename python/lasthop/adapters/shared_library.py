"""Base class of devices around C libraries, which a Python program calls by ctypes."""

from __future__ import annotations

import sys
from ctypes import CDLL
from pathlib import Path
from typing import ClassVar

from lasthop.adapters.client import Client
from lasthop.errors import EnvironmentFailure


class SharedLibraryClient(Client):
    """A client program around a C library, run by this Python.

    Attributes
    ----------
    library
        File name of the library for the loader.
    binding, script
        Modules of `lasthop.adapters.programs`: the ctypes binding, and the client program.
    """

    library: ClassVar[str]
    binding: ClassVar[str]
    script: ClassVar[str]
    program: ClassVar[str] = sys.executable

    def version_command(self, program: Path) -> list[str]:
        """Return the command that prints the version of the library."""
        return [str(program), "-m", f"lasthop.adapters.programs.{self.binding}"]

    def find(self) -> Path:
        """Return the path of Python if the C library is installed.

        Raises
        ------
        EnvironmentFailure
            It is not there.
        """
        try:
            CDLL(self.library)
        except OSError:
            message = f"{self.name}: the library {self.library} is missing; {self.install}"
            raise EnvironmentFailure(message) from None
        return Path(self.program)

    def command(self, program: Path) -> list[str]:
        """Return the command that starts the client program."""
        return [str(program), "-m", f"lasthop.adapters.programs.{self.script}"]

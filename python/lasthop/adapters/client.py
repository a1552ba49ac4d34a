"""Interface of a client adapter, which runs a program as a device of a study."""

from __future__ import annotations

import sys
from abc import abstractmethod
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lasthop.adapters.software import Software
from lasthop.errors import EnvironmentFailure, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.adapters.card import Card


@dataclass(frozen=True, slots=True)
class Message:
    """A message that a device will send."""

    topic: str
    flow: str
    number: int
    due_ns: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Errand:
    """Task of a device: connection, messages and topics. Its program reads it as JSON.

    It connects, subscribes, and prints ``ready``. A second line says at which instant of the
    monotonic clock, in ns, the time of the run is zero. From then on it prints a line for each of
    ``sent FLOW NUMBER NS``, ``acknowledged FLOW NUMBER NS`` and ``heard PAYLOAD NS``, of which the
    payload is what stands before its first space, and it ends with its input.

    Parameters
    ----------
    address, port, transport
        Address of the server, reached by ``tcp`` or ``udp``.
    name
        Name of the device at the server, unless it has a ``card``.
    card
        Credentials for a server that requires tokens.
    server, authority
        With TLS: the name in the server's certificate, and the file of its root certificate.
    session
        Number of messages per connection. It is opened for the first message and closed after the
        last answer. None keeps one connection.
    options
        Options of the protocol and of each layer, as in the run spec, by ``layer.option``.
    own, descriptor
        For a device with its own network stack: its address, and an inherited socket of IP packets
        (``SOCK_SEQPACKET``).
    device
        Hardware limits of such a device, as in the run spec.
    """

    address: str
    port: int
    transport: str
    name: str
    options: dict[str, Any]
    messages: tuple[Message, ...] = ()
    hears: tuple[str, ...] = field(default=())
    card: Card | None = None
    server: str = ""
    authority: str = ""
    session: int | None = None
    own: str = ""
    descriptor: int | None = None
    device: Mapping[str, Any] | None = None


class Client(Software):
    """A client program, selected by ``client=name`` in a stack."""

    takes_packets: ClassVar[bool] = False
    """Whether the client has its own network stack instead of the kernel's."""
    connects_again: ClassVar[bool] = False
    """Whether the client can open a new connection for every few messages (session per message)."""
    shows_tokens: ClassVar[bool] = False
    """Whether the client can present a token to a server that requires one."""
    versions: ClassVar[frozenset[str]] = frozenset()
    """Supported protocol versions, if these are not all that a stack can select."""
    ready_s: ClassVar[float] = 30.0
    """Seconds to wait until all clients have a session. After that the start has failed."""

    def check(self, protocol: str, options: Mapping[str, Any], *, connects_again: bool) -> None:
        """Check that the client supports the requested task.

        Raises
        ------
        UsageError
            It speaks other protocols, or lacks a version, tokens or sessions.
        """
        asked = f"client={self.name}:"
        if protocol not in self.protocols:
            known = ", ".join(sorted(self.protocols))
            raise UsageError(f"{asked} it does not support {protocol}; write a stack of {known}")
        version = str(options.get("version"))
        if self.versions and version not in self.versions:
            known = ", ".join(sorted(self.versions))
            raise UsageError(
                f"{asked} it does not support version {version}; write version={known}"
            )
        if options.get("auth") == "jwt" and not self.shows_tokens:
            raise UsageError(f"{asked} it does not support tokens; remove auth=jwt")
        if connects_again and not self.connects_again:
            raise UsageError(f'{asked} it can only keep its session; write "session: keep"')

    def prepare(self, errands: Iterable[Errand]) -> None:
        """Prepare files and programs that the devices of a run need before they start.

        Raises
        ------
        EnvironmentFailure
            It cannot be made.
        """

    @abstractmethod
    def command(self, program: Path) -> list[str]:
        """Return the command that starts the client. It reads its errand from standard input."""


class PythonClient(Client):
    """A client written with a Python library, run by this Python.

    Attributes
    ----------
    library, package
        Import name and package name of the library.
    script
        The module of `lasthop.adapters.programs` that is the program.
    """

    library: ClassVar[str]
    package: ClassVar[str]
    script: ClassVar[str]
    program: ClassVar[str] = sys.executable

    def version_command(self, program: Path) -> list[str]:
        """Return the command that prints the version of the library."""
        told = f"from importlib.metadata import version; print(version({self.package!r}))"
        return [str(program), "-c", told]

    def find(self) -> Path:
        """Return the path of Python if the library is installed.

        Raises
        ------
        EnvironmentFailure
            It is not there.
        """
        if find_spec(self.library) is None:
            message = f"{self.name}: the library {self.package} is missing; {self.install}"
            raise EnvironmentFailure(message)
        return Path(self.program)

    def command(self, program: Path) -> list[str]:
        """Return the command that starts the client program."""
        return [str(program), "-m", f"lasthop.adapters.programs.{self.script}"]

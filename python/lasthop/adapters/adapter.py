"""Interface of a server adapter, which runs a server program for the stacks of a study."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from lasthop.adapters.software import Software
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lasthop.adapters.card import Card
    from lasthop.adapters.presented import PresentedFiles


@dataclass(frozen=True, slots=True)
class Offer:
    """The service that a server must offer: protocol, layers, address and port.

    Parameters
    ----------
    address
        IP address on which the server listens. No other program uses it.
    transport
        ``tcp`` or ``udp``.
    options
        Options of the protocol and of each layer, as in the run spec, by ``layer.option``; those of
        the protocol without prefix.
    folder
        Empty folder for the server's files. It is deleted after the run.
    application
        The protocol, if the program supports several.
    layers
        Layers between the protocol and IP, the upper one first: ``("tls", "tcp")``.
    presented
        Certificate files that the server presents if a layer needs them.
    behind
        Offer of the server behind a proxy; None if this is the server.
    device
        Hardware limits of a constrained server, as in the run spec.
    descriptor
        Socket of IP packets for a server with its own network stack.
    """

    address: str
    port: int
    transport: str
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    application: str = ""
    layers: tuple[str, ...] = ()
    presented: PresentedFiles | None = None
    behind: Offer | None = None
    device: Mapping[str, Any] | None = None
    descriptor: int | None = None

    @property
    def shown(self) -> PresentedFiles | None:
        """Deprecated name of ``presented``, for older adapters. The next version removes it."""
        return self.presented

    @property
    def protocol(self) -> str:
        """Return the protocol with its layers in stack notation, such as ``mqtt/tls/tcp``."""
        return "/".join((self.application, *self.layers))

    def write(self, name: str, content: str) -> Path:
        """Write a configuration file of the server into its folder.

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


class Adapter(Software):
    """A server program, selected by ``impl=name`` in a stack.

    Attributes
    ----------
    settings
        Stack options that the adapter supports. The server's defaults apply to all others.
    """

    settings: ClassVar[frozenset[str]] = frozenset()
    takes_off: ClassVar[str | None] = None
    """The layer (for example TLS) that this proxy terminates before the server behind it."""
    ready_s: ClassVar[float] = 30.0
    """Seconds that the server may take until it listens. After that its start has failed."""
    takes_packets: ClassVar[bool] = False
    """Whether the server has its own network stack and therefore no kernel sockets."""

    def admit(self, offer: Offer, devices: Sequence[str]) -> Mapping[str, Card]:
        """Register devices before the server starts, and return the credentials of each."""
        del offer, devices
        return {}

    def check_devices(self, offer: Offer, *, are_foreign: bool) -> None:
        """Check that the devices of a run can present the credentials that the server requires.

        Raises
        ------
        UsageError
            They are real software, and would show tokens to what asks for none.
        """
        if are_foreign and offer.options.get("auth") == "jwt":
            message = f"impl={self.name}: it does not support tokens"
            raise UsageError(f"{message}; write impl=gateway, or remove auth=jwt")

    def check(self, offer: Offer) -> None:
        """Check that the server supports the requested service.

        Raises
        ------
        UsageError
            It speaks other protocols, or is to show a bare public key.
        """
        self.check_what_it_shows(offer)
        name = getattr(self, "called", self.name)
        if offer.protocol not in self.protocols:
            known = ", ".join(sorted(self.protocols))
            raise UsageError(
                f"impl={name}: it does not serve {offer.protocol}; write "
                f"impl= of another server, or a stack of {known}"
            )
        if offer.device is not None and not self.takes_packets:
            has = "it runs as a normal process and cannot be a constrained device"
            raise UsageError(f"impl={name}: {has}; remove device, or write impl=lwip")

    def check_what_it_shows(self, offer: Offer) -> None:
        """Check that the server can present the requested credentials.

        Raises
        ------
        UsageError
            It is to show a bare public key.
        """
        name = getattr(self, "called", self.name)
        if "tls" in offer.layers and offer.options.get("tls.raw_key") in {True, "on"}:
            raise UsageError(
                f"impl={name}: it presents certificates and not raw public "
                "keys; remove tls.raw_key=on"
            )

    def listens(self, said: Sequence[str]) -> bool | None:
        """Return whether the server's output shows that it listens; None if it cannot show it.

        Then the kernel is asked.
        """
        del said
        return None

    @abstractmethod
    def command(self, program: Path, offer: Offer) -> list[str]:
        """Write the configuration files and return the command that starts the server."""

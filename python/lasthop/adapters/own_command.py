"""Adapter of the user's own build of a server, bound to a name on the command line."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.errors import UsageError

_OVER_TLS = {"mqtt/tls/tcp", "mqtt/ws/tls/tcp", "coap/tls/tcp", "http/tls/tcp"}
_SECURED = frozenset({*_OVER_TLS, "mqtt/quic/udp", "http/quic/udp"})
ALL_PROTOCOLS = _SECURED | {"mqtt/tcp", "mqtt/ws/tcp", "coap/udp", "coap/tcp", "http/tcp"}


class OwnCommand(Adapter):
    """A server command in whose arguments ``{host}`` and ``{port}`` are replaced.

    So are the names of the files ``{certificate}`` and ``{key}`` that it is to show.
    """

    name: ClassVar[str] = "own"
    protocols: ClassVar[frozenset[str]] = ALL_PROTOCOLS
    program: ClassVar[str] = ""
    install: ClassVar[str] = "build it"

    def __init__(self, called: str, command: str) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UsageError(
                f'--impl {called}: the command "{command}" cannot be '
                f"parsed: {error}; check its quotes"
            ) from None
        if not words:
            raise UsageError(f"--impl {called}: the command is empty; write {called}=./broker")
        self.called, self._words = called, words

    def find(self) -> Path:
        """Return the path of the program.

        Raises
        ------
        UsageError
            There is none of this name.
        """
        found = shutil.which(self._words[0])
        if found is None:
            message = (
                f"--impl {self.called}: there is no program "
                f'"{self._words[0]}"; build it, or correct its path'
            )
            raise UsageError(message)
        return Path(found).resolve()

    def version(self, program: Path) -> str:
        """Identify the build by the digest of its bytes, because its version option is unknown."""
        import hashlib  # noqa: PLC0415  (rarely needed)

        return f"sha256:{hashlib.sha256(program.read_bytes()).hexdigest()[:12]}"

    def check(self, offer: Offer) -> None:
        """Check that the command receives the certificate that it must present.

        Raises
        ------
        UsageError
            It is not, or serves other protocols.
        """
        super().check(offer)
        is_told = {"{certificate}", "{key}"} <= set(re.findall(r"{\w+}", " ".join(self._words)))
        if offer.protocol in _SECURED and not is_told:
            what = f"--impl {self.called}: a server of {offer.protocol} must present a certificate"
            raise UsageError(f"{what}; put {{certificate}} and {{key}} into its command")

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command with address, port and file names filled in."""
        given = {"{host}": offer.address, "{port}": str(offer.port)}
        if offer.presented is not None:
            given |= {"{certificate}": str(offer.presented.certificate)}
            given |= {"{key}": str(offer.presented.key)}
        words = []
        for word in self._words[1:]:
            for name, value in given.items():
                word = word.replace(name, value)  # noqa: PLW2901  (one after the other)
            words.append(word)
        return [str(program), *words]

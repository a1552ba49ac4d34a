"""Credentials of `lasthop load` from its options."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.live.dtls import read_keys
from lasthop.live.tls import CertificateFiles, read_roots
from lasthop.study.rules.socket_trust import PemPair, SocketTrust

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class TrustAsked:
    """The certificate and trust files that the options name."""

    psk: Path | None = None
    cafile: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def read(self, stacks: Collection[str]) -> SocketTrust:
        """Read certificates and trust files for servers of these stacks.

        TLS defaults to system roots.

        Raises
        ------
        UsageError
            A file cannot be read, or is for no server.
        """
        layers = {layer for stack in stacks for layer in stack.split("/")}
        by_tls, by_dtls = layers & {"tls", "quic"}, "dtls" in layers
        certified = {"--cafile": self.cafile, "--cert": self.certificate, "--key": self.key}
        for option, path in certified.items():
            if path is not None and not by_tls and not by_dtls:
                raise UsageError(
                    f"{option}: no --against address uses TLS; write for "
                    "example --against mqtts://HOST"
                )
        if self.psk is not None and not by_dtls:
            raise UsageError(
                "--psk: no --against address uses DTLS; write for example --against coaps://HOST"
            )
        presented = None
        if CertificateFiles(self.certificate, self.key, ("--cert", "--key")).read("load"):
            presented = PemPair(_bytes_of(self.certificate), _bytes_of(self.key))
        keys = None
        if self.psk is not None:
            keys = read_keys(
                "--psk", self.psk, lambda text: (_native.DtlsServer.of_keys(text), text)
            )[1]
        return SocketTrust(
            roots=self._roots(needed=bool(by_tls)),
            presented=presented,
            keys=keys,
            names=frozenset(_names(keys or "")),
        )

    def _roots(self, *, needed: bool) -> bytes | None:
        path = self.cafile
        if path is None and needed:
            path = Path(ssl.get_default_verify_paths().openssl_cafile)
        if path is None:
            return None
        read_roots("--cafile", path)
        return path.read_bytes()


def _bytes_of(path: Path | None) -> bytes:
    return b"" if path is None else path.read_bytes()


def _names(keys: str) -> list[str]:
    lines = (line.strip() for line in keys.splitlines())
    return [line.rpartition(":")[0] for line in lines if line and not line.startswith("#")]

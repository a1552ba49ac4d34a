"""Credentials for DTLS on sockets: pre-shared keys or certificates. They are never printed."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.live.schemes import dtls_scheme_of
from lasthop.live.tls import CertificateFiles, checked, read_roots

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from lasthop.live.addresses import Target

_T = TypeVar("_T")

_VERSIONS = ("1.2", "1.3")


@dataclass(frozen=True, slots=True)
class DtlsAsked:
    """Credential files of a client, and the options that name them."""

    psk: Path | None = None
    cafile: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    version: str | None = None

    def read(self, target: Target) -> _native.DtlsClient | None:
        """Read the DTLS settings of a client; None without DTLS."""
        place = target.url.partition("://")[2]
        if not target.scheme.is_dtls:
            for option, given in (("--psk", self.psk), ("--dtls", self.version)):
                if given is not None:
                    message = (
                        f"{option}: {target.url} is not secured by DTLS; write coaps://{place}"
                    )
                    raise UsageError(message)
            return None
        of_certificates = {"--cafile": self.cafile, "--cert": self.certificate, "--key": self.key}
        named = [option for option, path in of_certificates.items() if path is not None]
        named += ["--dtls"] if self.version is not None else []
        if self.psk is not None and named:
            message = f"{named[0]}: it is for certificates, and --psk is given; remove one of them"
            raise UsageError(message)
        if self.psk is not None:
            return read_keys("--psk", self.psk, _native.DtlsClient.of_key)
        if self.cafile is None:
            message = (
                f"--psk: {target.url} needs credentials; add --psk FILE with a line "
                "identity:key, or --cafile FILE if the server presents a "
                "certificate"
            )
            raise UsageError(message)
        version = _read_version(self.version or "1.2")
        presented = CertificateFiles(self.certificate, self.key, ("--cert", "--key")).read(
            target.scheme.name
        )
        option, path = ("--cafile", self.cafile)
        roots = read_roots(option, path)
        if self.certificate is not None:
            option, path = ("--cert", self.certificate)
        return checked(
            option,
            path,
            lambda: _native.DtlsClient.of_certificates(version, roots, target.host, presented),
        )


@dataclass(frozen=True, slots=True)
class DtlsOffered:
    """Credential files of a server, and the options that name them."""

    psk: Path | None = None
    version: str | None = None
    certificate: Path | None = None
    presented: _native.Tls | None = None
    clients: _native.Roots | None = None

    def read(self, served: Sequence[str]) -> _native.DtlsServer | None:
        """Read the DTLS settings of a server; None without DTLS."""
        for option, given in (("--dtls-psk", self.psk), ("--dtls", self.version)):
            if given is not None and not any(map(dtls_scheme_of, served)):
                message = f"{option}: {' '.join(served)} is not served by DTLS; serve coap"
                raise UsageError(message)
        if self.version is None:
            if self.psk is None:
                return None
            return read_keys("--dtls-psk", self.psk, _native.DtlsServer.of_keys)
        if self.psk is not None:
            message = "--dtls: it is for certificates, and --dtls-psk is given; remove one of them"
            raise UsageError(message)
        return self._certified(_read_version(self.version))

    def _certified(self, version: str) -> _native.DtlsServer:
        presented, clients = self.presented, self.clients
        if presented is None or self.certificate is None:
            message = (
                "--dtls: it needs a certificate; add --tls-cert FILE --tls-key "
                "FILE, or use --dtls-psk FILE instead of --dtls"
            )
            raise UsageError(message)
        make = _native.DtlsServer.of_certificate
        return checked("--tls-cert", self.certificate, lambda: make(version, presented, clients))


def _read_version(text: str) -> str:
    if text not in _VERSIONS:
        message = f'--dtls: "{text}" is not a version of DTLS; write {" or ".join(_VERSIONS)}'
        raise UsageError(message)
    return text


def read_keys(option: str, path: Path, make: Callable[[str], _T]) -> _T:
    """Read a file of pre-shared keys. Other users must not have read permission."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(path.stat().st_mode)
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "the file is not UTF-8 text"
        message = f"{option}: {path}: {why.lower()}"
        raise UsageError(message) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = f"{option}: {path}: other users can read the keys; run chmod 600 {path}"
        raise UsageError(message)
    return checked(option, path, lambda: make(text))

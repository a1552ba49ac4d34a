"""Credentials for TLS on sockets: certificate and key files, never printed."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.live.schemes import scheme_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lasthop.live.addresses import Target

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Certificate chain and key of an end, or neither."""

    certificate: Path | None
    key: Path | None
    names: tuple[str, str]
    """Names of the two command-line options."""

    def read(self, command: str) -> _native.Tls | None:
        """Read the certificate chain and the key."""
        certificate_option, key_option = self.names
        if self.certificate is None and self.key is None:
            return None
        if self.certificate is None or self.key is None:
            missing = certificate_option if self.certificate is None else key_option
            message = f"{command}: TLS needs a certificate and its private key; add {missing} FILE"
            raise UsageError(message)
        chain = _bytes_of(certificate_option, self.certificate)
        secret = _bytes_of(key_option, self.key)
        checked(certificate_option, self.certificate, lambda: _native.Roots(chain))
        return checked(key_option, self.key, lambda: _native.Tls(chain, secret))


def read_tls(certificate: Path | None, key: Path | None) -> _native.Tls | None:
    """Read the certificate of a server."""
    return CertificateFiles(certificate, key, ("--tls-cert", "--tls-key")).read("serve")


def read_clients(path: Path | None, *, secured: bool) -> _native.Roots | None:
    """Read the certificate authorities that a server requires of its clients."""
    if path is None:
        return None
    if not secured:
        message = "--client-ca: it needs TLS; add --tls-cert FILE and --tls-key FILE"
        raise UsageError(message)
    return read_roots("--client-ca", path)


def read_roots(option: str, path: Path) -> _native.Roots:
    """Read the CA certificates that an end trusts."""
    roots = _bytes_of(option, path)
    return checked(option, path, lambda: _native.Roots(roots))


def read_trust(
    target: Target, cafile: Path | None, certificate: Path | None, key: Path | None
) -> _native.Trust | None:
    """Read the CA certificates that a client trusts, from a file or from the system.

    With a certificate and its key it shows them to a server that asks. None where there is no TLS.
    """
    given = {"--cafile": cafile, "--cert": certificate, "--key": key}
    if target.scheme.is_dtls:
        return None
    if not target.scheme.is_secured:
        for option in (option for option, path in given.items() if path is not None):
            place = target.url.partition("://")[2]
            secured = scheme_of(target.scheme.served, secured=True)
            name = secured.name if secured.is_secured else "coaps+tcp"
            message = f"{option}: {target.url} does not use TLS; write {name}://{place}"
            raise UsageError(message)
        return None
    presented = CertificateFiles(certificate, key, ("--cert", "--key")).read(target.scheme.name)
    path = cafile or Path(ssl.get_default_verify_paths().openssl_cafile)
    roots = read_roots("--cafile", path)
    return checked("--cafile", path, lambda: _native.Trust(roots, target.host, presented))


def _bytes_of(option: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{option}: {path}: {(error.strerror or 'the file cannot be read').lower()}"
        raise UsageError(message) from error


def checked(option: str, path: Path, make: Callable[[], _T]) -> _T:
    """Convert the content of a file. An error names the option and the file."""
    try:
        return make()
    except ValueError as error:
        message = f"{option}: {path}: {error}"
        raise UsageError(message) from None

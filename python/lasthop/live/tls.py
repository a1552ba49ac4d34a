"""What TLS on sockets stands on: files of certificates and keys, whose text is never told."""

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.live.addresses import Target
from lasthop.live.schemes import scheme_of

_T = TypeVar("_T")


def read_tls(certificate: Path | None, key: Path | None) -> _native.Tls | None:
    """Read what a server shows: both files, or neither."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing = "--tls-cert" if certificate is None else "--tls-key"
        message = f"serve: TLS takes a certificate and its key; add {missing} FILE"
        raise UsageError(message)
    chain, secret = _bytes_of("--tls-cert", certificate), _bytes_of("--tls-key", key)
    _checked("--tls-cert", certificate, lambda: _native.Trust(chain, "localhost"))
    return _checked("--tls-key", key, lambda: _native.Tls(chain, secret))


def read_trust(target: Target, cafile: Path | None) -> _native.Trust | None:
    """Read whom a client believes: those of a file, or the authorities of the system."""
    if not target.scheme.is_secured:
        if cafile is not None:
            place = target.url.partition("://")[2]
            secured = scheme_of(target.scheme.served, secured=True).name
            message = f"--cafile: {target.url} is not secured; write {secured}://{place}"
            raise UsageError(message)
        return None
    path = cafile or Path(ssl.get_default_verify_paths().openssl_cafile)
    roots = _bytes_of("--cafile", path)
    return _checked("--cafile", path, lambda: _native.Trust(roots, target.host))


def _bytes_of(option: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{option}: {path}: {(error.strerror or 'it cannot be read').lower()}"
        raise UsageError(message) from error


def _checked(option: str, path: Path, make: Callable[[], _T]) -> _T:
    try:
        return make()
    except ValueError as error:
        message = f"{option}: {path}: {error}"
        raise UsageError(message) from None

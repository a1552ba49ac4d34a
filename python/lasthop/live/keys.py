"""What DTLS on sockets stands on: files of keys that both ends have, whose text is never told."""

import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.live.addresses import Target
from lasthop.live.schemes import keyed_scheme_of

_T = TypeVar("_T")


def read_keys(path: Path | None, served: Sequence[str]) -> _native.Keys | None:
    """Read whom a server knows by their keys."""
    if path is None:
        return None
    if not any(map(keyed_scheme_of, served)):
        message = f"--dtls-psk: {' '.join(served)} is not served by DTLS; serve coap"
        raise UsageError(message)
    return _read("--dtls-psk", path, _native.Keys)


def read_key(target: Target, path: Path | None) -> _native.Key | None:
    """Read the key that a client has in common with its server."""
    place = target.url.partition("://")[2]
    if target.scheme.is_keyed:
        if path is None:
            message = f"--psk: {target.url} takes a key; add --psk FILE, with a line identity:key"
            raise UsageError(message)
        return _read("--psk", path, _native.Key)
    if path is not None:
        message = f"--psk: {target.url} takes no key; write coaps://{place}"
        raise UsageError(message)
    return None


def _read(option: str, path: Path, make: Callable[[str], _T]) -> _T:
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(path.stat().st_mode)
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "no UTF-8 text"
        message = f"{option}: {path}: {why.lower()}"
        raise UsageError(message) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = f"{option}: {path}: others may read the keys in it; chmod 600 {path}"
        raise UsageError(message)
    try:
        return make(text)
    except ValueError as error:
        message = f"{option}: {path}: {error}"
        raise UsageError(message) from None

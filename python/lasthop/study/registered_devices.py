"""File of a gateway's devices with their private keys: a line with the name, then the key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_NAME = r"projects/[^/\s]+/locations/[^/\s]+/registries/[^/\s]+/devices/[^/\s]+"
_KEY = r"-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END PRIVATE KEY-----\n?"
_DEVICE = re.compile(rf"({_NAME})\n({_KEY})")


@dataclass(frozen=True, slots=True)
class Registered:
    """A device that is registered at a gateway.

    Parameters
    ----------
    path
        Full name of the device.
    key
        Private key as PEM.
    """

    path: str
    key: str = field(repr=False)


def write_registered(file: Path, devices: Sequence[Registered]) -> None:
    """Write devices to a new file that only its owner can read.

    Raises
    ------
    UsageError
        There is such a file.
    OSError
        It cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        descriptor = os.open(file, flags, 0o600)
    except FileExistsError as error:
        raise UsageError(f"--new-key: {file} exists already; choose a new file name") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.writelines(f"{it.path}\n{it.key.strip()}\n" for it in devices)


def read_registered(file: Path) -> tuple[Registered, ...]:
    """Read the registered devices from a file.

    Raises
    ------
    UsageError
        It cannot be read, or is something else.
    """
    hint = (
        "create one with lasthop gateway device add DEVICE --new-key FILE --count COUNT --data DIR"
    )
    try:
        text = file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--devices: the file {file} cannot be read; {hint}") from error
    found = tuple(Registered(path, key) for path, key in _DEVICE.findall(text))
    if not found or _DEVICE.sub("", text).strip():
        raise UsageError(f"--devices: {file} is not a devices file; {hint}")
    return found

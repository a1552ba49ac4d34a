"""TUN devices: descriptors that give and take the IP packets of a namespace."""

from __future__ import annotations

import fcntl
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from lasthop.testbed.entering import inside

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

# linux/if_tun.h
_TUNSETIFF = 0x400454CA
_IFF_TUN = 0x0001
_IFF_NO_PI = 0x1000

_DEVICE = "/dev/net/tun"


@dataclass(frozen=True, slots=True)
class Tun:
    """An open TUN device; it is gone when its last descriptor is closed."""

    name: str
    descriptor: int

    @classmethod
    def open_in(cls, namespace: Path, name: str) -> Tun:
        """Open a device in a namespace.

        Parameters
        ----------
        namespace
            The file of the network namespace.
        name
            The name of the device there.

        Raises
        ------
        OSError
            If the kernel refuses.
        """
        return cls(name, inside(namespace, lambda: _open(name)))

    def close(self) -> None:
        """Close this descriptor; processes that have it too keep the device."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        """Return the device itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the descriptor."""
        self.close()


def _open(name: str) -> int:
    descriptor = os.open(_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    request = struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI)
    try:
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor

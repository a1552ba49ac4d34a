"""TUN devices: descriptors that give and take the IP packets of a namespace."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.testbed.entering import inside
from lasthop.testbed.open_device import OpenDevice

if TYPE_CHECKING:
    from pathlib import Path

# linux/if_tun.h
_TUNSETIFF = 0x400454CA
_IFF_TUN = 0x0001
_IFF_NO_PI = 0x1000
_IFF_TUN_EXCL = 0x8000

_DEVICE = "/dev/net/tun"


@dataclass(frozen=True, slots=True)
class Tun(OpenDevice):
    """An open TUN device. It is removed when its last descriptor is closed."""

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

    @classmethod
    def open_here(cls, name: str) -> Tun:
        """Open a device that did not exist in the namespace of this thread, as `open_in` does."""
        return cls(name, _open(name, _IFF_TUN_EXCL))


def _open(name: str, flags: int = 0) -> int:
    import fcntl  # noqa: PLC0415  (not every platform has it, and studies run without)

    descriptor = os.open(_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    request = struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI | flags)
    try:
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor

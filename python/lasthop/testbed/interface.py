"""Network interfaces of this namespace, set up by the kernel's own calls: no program is started."""

from __future__ import annotations

import contextlib
import socket
import struct
from pathlib import Path

# linux/sockios.h, linux/if.h
_SIOCSIFFLAGS = 0x8914
_SIOCSIFADDR = 0x8916
_SIOCSIFNETMASK = 0x891C
_SIOCSIFMTU = 0x8922
_IFF_UP = 0x1


def set_up(name: str, address: str | None = None, *, netmask: str = "", mtu: int = 0) -> None:
    """Give an interface an address and an MTU, and switch it on; without an address the latter.

    IPv6 stays off on one that gets an address, or router solicitations join the packets.

    Raises
    ------
    OSError
        If the kernel refuses.
    """
    import fcntl  # noqa: PLC0415  (not every platform has it, and studies run without)

    named = name.encode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        if address is not None:
            with contextlib.suppress(OSError):  # a kernel without IPv6, or /proc/sys read-only
                Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1", "ascii")
            for request, written in ((_SIOCSIFADDR, address), (_SIOCSIFNETMASK, netmask)):
                of_ip = struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(written))
                fcntl.ioctl(control, request, struct.pack("16s16s8x", named, of_ip))
            fcntl.ioctl(control, _SIOCSIFMTU, struct.pack("16si20x", named, mtu))
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh22x", named, _IFF_UP))

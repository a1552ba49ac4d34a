"""Pairs of Ethernet devices: one end in a namespace, the other one read and written by us.

They take no right beyond those of a namespace of one's own, where TUN devices take root.
"""

from __future__ import annotations

import array
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.testbed.entering import inside
from lasthop.testbed.open_device import OpenDevice

if TYPE_CHECKING:
    from pathlib import Path

STATION = "02:6c:68:00:00:01"
"""The address that the emulator sends to until the other end has spoken."""

# linux/sockios.h, linux/ethtool.h, linux/if_packet.h, linux/if_ether.h
_SIOCETHTOOL = 0x8946
_OFFLOADS = {
    "rx-checksumming": (0x14, 0x15),
    "tx-checksumming": (0x16, 0x17),
    "scatter-gather": (0x18, 0x19),
    "tcp-segmentation-offload": (0x1E, 0x1F),
    "generic-segmentation-offload": (0x23, 0x24),
    "generic-receive-offload": (0x2B, 0x2C),
}
_SOL_PACKET = 263
_PACKET_QDISC_BYPASS = 20
_PACKET_IGNORE_OUTGOING = 23
_ETH_P_ALL = 0x0003
_SO_RCVBUFFORCE = 33
_RECEIVE_BUFFER_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class PacketSocket(OpenDevice):
    """An open packet socket on an interface of Ethernet, which gives and takes frames."""

    @classmethod
    def open_in(cls, namespace: Path, name: str) -> PacketSocket:
        """Open a device on an interface of a namespace, and turn its offloads off.

        Parameters
        ----------
        namespace
            The file of the network namespace.
        name
            The name of the interface there.

        Raises
        ------
        OSError
            If the kernel refuses, or an offload cannot be switched off.
        """
        return cls(name, inside(namespace, lambda: _open(name)))

    @classmethod
    def open_here(cls, name: str) -> PacketSocket:
        """Open one on an interface of the namespace of this thread, as `open_in` does."""
        return cls(name, _open(name))


def switch_offloads_off(name: str) -> None:
    """Have an interface of this namespace give and take the packets that a wire would carry.

    With offloads a veth passes on what hardware would still have to cut into segments and give
    checksums: nobody behind a packet socket can use that.

    Raises
    ------
    OSError
        If one of them stays on.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for offload, (ask, order) in _OFFLOADS.items():
            if not _ethtool(control, name, ask):
                continue
            _ethtool(control, name, order, 0)
            if _ethtool(control, name, ask):
                raise OSError(0, f"{offload} stays on", name)


def _ethtool(control: socket.socket, name: str, command: int, value: int = 0) -> int:
    import fcntl  # noqa: PLC0415  (not every platform has it, and studies run without)

    words = array.array("I", [command, value])
    request = struct.pack("16sP16x", name.encode(), words.buffer_info()[0])
    fcntl.ioctl(control, _SIOCETHTOOL, request)
    return words[1]


def _open(name: str) -> int:
    switch_offloads_off(name)
    # Without a protocol it hears nothing before it is bound to its interface.
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as made:
        made.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        made.setsockopt(_SOL_PACKET, _PACKET_QDISC_BYPASS, 1)
        try:
            made.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER_BYTES)
        except PermissionError:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER_BYTES)
        made.bind((name, _ETH_P_ALL))
        return made.detach()

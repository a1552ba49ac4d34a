"""Where a link begins and ends on this machine."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from lasthop.errors import EnvironmentFailure
from lasthop.testbed.entering import inside, new_network
from lasthop.testbed.interface import set_up
from lasthop.testbed.tun import Tun

Address = tuple[str, int]

_NETS = int(IPv4Address("198.18.0.0"))
"""Addresses for measurements (RFC 2544, RFC 6890): each link takes eight of them."""
_NET_SIZE = 8
_NET_COUNT = 2**17 // _NET_SIZE
_NETMASK = "255.255.255.248"
_NETS_OF_PROCESS = 64
_FAR_DEVICE = "link0"
_NUMBERS = itertools.count()
_BACKLOG = 4096
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Ends:
    """The sockets and devices of a link, open as long as their stack.

    Attributes
    ----------
    address
        Where clients find the server.
    listeners
        The descriptors of the sockets for TCP and UDP.
    devices
        Those of the two devices that the path lies between, if it is the emulator.
    translated
        The addresses behind a NAT of the path.
    """

    address: Address
    listeners: tuple[int, int]
    devices: tuple[int, int] | None
    translated: dict[str, str]


def emulated_ends(stack: contextlib.ExitStack, port: int, *, mtu: int) -> Ends:
    """Make a device of this network, and behind the path a network with the listeners.

    Raises
    ------
    EnvironmentFailure
        If this process may not: why, and what to do.
    """
    try:
        number, near = _near_device(stack)
        base = _NETS + _NET_SIZE * number
        near_address, far_address, outside = (str(IPv4Address(base + at)) for at in (1, 2, 3))
        set_up(near.name, near_address, netmask=_NETMASK, mtu=mtu)
        descriptor = new_network()
        stack.callback(os.close, descriptor)
        network = Path(f"/proc/self/fd/{descriptor}")
        far = stack.enter_context(Tun.open_in(network, _FAR_DEVICE))

        def listen() -> tuple[socket.socket, socket.socket]:
            set_up("lo")
            set_up(_FAR_DEVICE, far_address, netmask=_NETMASK, mtu=mtu)
            return _listeners((far_address, port))

        opened = inside(network, listen)
    except OSError as error:
        raise EnvironmentFailure(_why_not(error)) from error
    return Ends(
        address=(far_address, port),
        listeners=_kept(stack, opened),
        devices=(near.descriptor, far.descriptor),
        translated={"ipv4": outside, "ipv6": "fd77::3"},
    )


def proxy_ends(stack: contextlib.ExitStack, listen: Address) -> Ends:
    """Listen at an address of this machine; port 0 is any that is free.

    Raises
    ------
    EnvironmentFailure
        If the address is taken, or is none of this machine's.
    """
    try:
        opened = _listeners(listen)
    except OSError as error:
        host, port = listen
        remedy = "stop the program that has it, or write port 0 for a free port"
        if error.errno != errno.EADDRINUSE:
            remedy = "write an address of this machine, for example 127.0.0.1"
        raise EnvironmentFailure(f"{host}:{port}: {error.strerror}; {remedy}") from error
    host, port = opened[0].getsockname()[:2]
    return Ends(
        address=(host, port),
        listeners=_kept(stack, opened),
        devices=None,
        translated={"ipv4": "10.77.0.3", "ipv6": "fd77::3"},
    )


def _near_device(stack: contextlib.ExitStack) -> tuple[int, Tun]:
    """Open a device whose number nobody has; that of its addresses was not used before.

    The kernel remembers what it learnt of a path by its address, and a link is to be a new one.
    """
    for _ in range(_NETS_OF_PROCESS):
        number = (os.getpid() * _NETS_OF_PROCESS + next(_NUMBERS)) % _NET_COUNT
        try:
            return number, stack.enter_context(Tun.open_here(f"lasthop{number}"))
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def _listeners(address: Address) -> tuple[socket.socket, socket.socket]:
    """Open sockets of TCP and UDP at an address and the same port."""
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tries_left in reversed(range(_TRIES)):
        with contextlib.ExitStack() as stack:
            tcp = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            udp = stack.enter_context(socket.socket(family, socket.SOCK_DGRAM))
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tcp.bind((host, port))
            try:
                udp.bind((host, tcp.getsockname()[1]))
            except OSError as error:
                # Another free port may be free for both.
                if port != 0 or tries_left == 0 or error.errno != errno.EADDRINUSE:
                    raise
                continue
            tcp.listen(_BACKLOG)
            stack.pop_all()
            return tcp, udp
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def _kept(
    stack: contextlib.ExitStack, opened: tuple[socket.socket, socket.socket]
) -> tuple[int, int]:
    for each in opened:
        stack.enter_context(each)
    tcp, udp = opened
    return tcp.fileno(), udp.fileno()


def _why_not(error: OSError) -> str:
    remedy = (
        "run the tests as root, or in a network of their own: "
        "unshare --user --map-root-user --net sh -c 'ip link set lo up && pytest'"
    )
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return "/dev/net/tun is missing; run modprobe tun as root"
    if error.errno in (errno.EPERM, errno.EACCES):
        return f"this process may not create network devices ({error.strerror}); {remedy}"
    return f"a network device cannot be created ({error.strerror}); {remedy}"

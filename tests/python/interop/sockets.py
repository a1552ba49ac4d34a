"""Sockets of the kernel in a namespace."""

import contextlib
import socket
from collections.abc import Iterator

from lasthop.testbed import Namespace


@contextlib.contextmanager
def udp_socket(namespace: Namespace) -> Iterator[socket.socket]:
    """Give a socket for datagrams."""
    with namespace.inside(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as opened:
        yield opened


@contextlib.contextmanager
def tcp_socket(namespace: Namespace, *, patience_s: float = 120.0) -> Iterator[socket.socket]:
    """Give a socket for streams."""
    with namespace.inside(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as opened:
        opened.settimeout(patience_s)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield opened

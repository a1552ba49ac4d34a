"""Checks how many connections this machine can open to a server."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.run_spec import RunSpecReader

RESERVE = 64
"""Number of file descriptors besides those of connections."""

_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def check_limits(specs: Iterable[RunSpecReader]) -> None:
    """Raise the limit of open files to the need of the largest run.

    Raises
    ------
    EnvironmentFailure
        There are too few descriptors, or ports for so many connections to one address.
    """
    most: dict[str, int] = {}
    largest = 0
    for spec in specs:
        connections = spec.connections()
        largest = max(largest, sum(connections.values()))
        for address, number in connections.items():
            most[address] = max(most.get(address, 0), number)
    _check_descriptors(largest)
    ports = _ports()
    for address, number in most.items():
        if ports is not None and number > ports:
            message = (
                f"{number} connections to {address} need as many local ports, and "
                f"this machine has {ports}; run sysctl "
                'net.ipv4.ip_local_port_range="1024 65535", or write fewer devices'
            )
            raise EnvironmentFailure(message)


def _check_descriptors(connections: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + RESERVE
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    if hard != resource.RLIM_INFINITY and needed > hard:
        message = (
            f"{connections} connections need {needed} open files, and the limit of "
            f"this process is {hard}; raise it with ulimit -n {needed} (as root), "
            "or write fewer devices"
        )
        raise EnvironmentFailure(message)
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _ports() -> int | None:
    try:
        first, last = map(int, _PORTS.read_text().split())
    except (OSError, ValueError):
        return None
    return last - first + 1

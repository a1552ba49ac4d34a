"""Whether a path and a stack can carry a download, said before anything is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.assembly import networks
from lasthop.study.faults import Fault
from lasthop.study.fleet.devices import Arriving
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.paths.path import Path
from lasthop.study.quantity import RATE, SIZE, TIME, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.assembly import Assembly, Flow, Group
    from lasthop.study.stacks.arm import Arm
    from lasthop.study.timing import Timing

NBIOT_DOWN_BITS_PER_SECOND = 26_150
"""What one device, or all devices of a cell together, get at most, sustained, of a carrier of
Release 13 (680 bit in 26 ms)."""

ONE_DATAGRAM = ("raw_udp", "json_udp")
"""Stacks that carry a message in one datagram or not at all."""

NBIOT_MTU_BYTES = 1600
"""The largest packet of an NB-IoT network (TS 36.331, maximum size of a PDCP SDU)."""

_UDP_OVER_IPV4_BYTES = 28
_UDP_OVER_IPV6_BYTES = 48
_SECOND_NS = 10**9


def check_download(flow: Flow, assembly: Assembly, spans: Timing) -> None:
    """Hold a download against what its path carries until the run ends.

    Raises
    ------
    Fault
        With the size, the rate, and how much would fit.
    """
    left_ns = spans.duration_ns + spans.drain_ns - flow.traffic.start
    if left_ns <= spans.drain_ns:
        raise Fault(
            "the download starts when the run has ended",
            hint=f'write less than "{format_quantity(spans.duration_ns, TIME)}"',
            location=(*flow.location, "start"),
        )
    size = flow.traffic.download or 0
    for rate, devices in _bottlenecks(flow, assembly):
        most = int(rate * left_ns // (8 * _SECOND_NS * devices))
        if size <= most:
            continue
        shared = f" for {devices:.0f} devices together" if devices > 1 else ""
        raise Fault(
            f"a download of {format_quantity(size, SIZE)} takes longer than the run: its path "
            f"carries {format_quantity(rate, RATE)}{shared}",
            hint=f"write less than {most // 1000} kB, or a longer duration",
            location=(*flow.location, "download"),
        )


def check_carried(assembly: Assembly, arm: Arm) -> None:
    """Hold each download against the stack that is to carry it.

    Raises
    ------
    Fault
        Where it would have to fit a datagram.
    """
    for flow in assembly.flows:
        group = assembly.group_of(flow)
        stack = arm.stacks[group.name]
        application, size = stack.layers[0], flow.traffic.download or 0
        if application not in ONE_DATAGRAM:
            continue
        headers = (
            _UDP_OVER_IPV6_BYTES if stack.options.get("ip.version") == "6" else _UDP_OVER_IPV4_BYTES
        )
        room = _mtu_down(assembly, group) - headers
        if size > room:
            raise Fault(
                f"{application} carries a message in one datagram, which is not fragmented, and a "
                f"download of {format_quantity(size, SIZE)} needs several",
                hint=f'write "{room} B" or less, or a stack that puts parts together: coap, mqtt',
                location=(*flow.location, "download"),
            )


def _mtu_down(assembly: Assembly, group: Group) -> int:
    """Give the largest packet that reaches the devices of a group, in bytes."""
    links = (hop.settings for hop in assembly.paths[group.path])
    return min((it.down.mtu for it in links if isinstance(it, Path)), default=NBIOT_MTU_BYTES)


def _bottlenecks(flow: Flow, assembly: Assembly) -> Iterator[tuple[int, float]]:
    """Give rates towards the devices in bit/s, each with how many fetch by it at least."""
    group = assembly.group_of(flow)
    if isinstance(group.devices, Arriving):
        return
    fetching = max(1.0, group.devices * flow.share)
    for hop in assembly.paths[group.path]:
        if isinstance(hop.settings, Nbiot):
            cells = sum(network.cells for network in networks([hop]))
            yield NBIOT_DOWN_BITS_PER_SECOND, max(1.0, fetching / cells)
        elif isinstance(hop.settings, Path) and hop.settings.down.rate is not None:
            yield hop.settings.down.rate, 1.0 if hop.scope == "own" else fetching

"""Checks whether a path carries a download before the run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import RATE, SIZE, TIME, format_quantity
from lasthop.study.fleet.assembly import networks
from lasthop.study.fleet.devices import Arriving
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.paths.path import LinkForm
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.forms.timing import Timing

NBIOT_DOWN_BITS_PER_SECOND = 26_150
"""Largest sustained downlink rate of a cell with a Release 13 carrier (680 bit in 26 ms)."""

_SECOND_NS = 10**9


def check_download(flow: Flow, assembly: Assembly, spans: Timing) -> None:
    """Check that the path can carry a download before the run ends.

    Raises
    ------
    Fault
        With the size, the rate, and how much would fit.
    """
    left_ns = spans.duration_ns + spans.drain_ns - flow.traffic.start
    if left_ns <= spans.drain_ns:
        raise Fault(
            "the download starts after the end of the run",
            hint=f'write less than "{format_quantity(spans.duration_ns, TIME)}"',
            location=(*flow.location, "start"),
        )
    size = flow.traffic.download or 0
    for rate, devices in _bottlenecks(flow, assembly):
        most = int(rate * left_ns // (8 * _SECOND_NS * devices))
        if size <= most:
            continue
        shared = f" shared by {devices:.0f} devices" if devices > 1 else ""
        raise Fault(
            f"a download of {format_quantity(size, SIZE)} takes longer than the "
            "run, because the rate of its path is "
            f"{format_quantity(rate, RATE)}{shared}",
            hint=f"write less than {most // 1000} kB, or a longer duration",
            location=(*flow.location, "download"),
        )


def _bottlenecks(flow: Flow, assembly: Assembly) -> Iterator[tuple[int, float]]:
    """Yield rates towards the devices in bit/s, each with the number of downloading devices."""
    group = assembly.group_of(flow)
    if isinstance(group.devices, Arriving):
        return
    fetching = max(1.0, group.devices * flow.share)
    for hop in assembly.paths[group.path]:
        if isinstance(hop.settings, Nbiot):
            cells = sum(network.cells for network in networks([hop]))
            yield NBIOT_DOWN_BITS_PER_SECOND, max(1.0, fetching / cells)
        elif isinstance(hop.settings, LinkForm) and isinstance(hop.settings.down.rate, int):
            yield hop.settings.down.rate, 1.0 if hop.scope == "own" else fetching

"""Checks that devices can process messages as fast as they receive them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import FRACTION, format_quantity
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.fleet.device import DeviceForm


def check_processing_time(assembly: Assembly) -> None:
    """Check that every device can process messages as fast as it receives them.

    A reader that throws messages away keeps up with any number of them.

    Raises
    ------
    Fault
        With the place of the device and its load.
    """
    for server in assembly.servers:
        if server.device is not None:
            to_it = [flow for flow in assembly.flows if flow.server == server.name]
            told = sum(_messages_a_second(flow, assembly) for flow in to_it)
            _check(server.name, server.device, told, ("servers", server.name, "device"))
    for group in assembly.groups:
        if group.device is not None and isinstance(group.devices, int) and group.devices:
            told = sum(
                _messages_a_second(flow, assembly) / (1 if flow.to_all else group.devices)
                for flow in assembly.heard_by(group)
            )
            _check(group.name, group.device, told, (*group.location, "device"))


def _messages_a_second(flow: Flow, assembly: Assembly) -> float:
    """Return the messages per second of all senders of a flow, before batching."""
    traffic, devices = flow.traffic, assembly.group_of(flow).devices
    if traffic.every is None or not isinstance(devices, int):
        return 0
    return devices * flow.share * traffic.burst / (traffic.every * traffic.batch) * 1e9


def _check(name: str, device: DeviceForm, told: float, location: tuple[str | int, ...]) -> None:
    settings = device.filled()
    load = told * settings["message"] / 1e9
    if settings["reading"] == "all" and load >= 1:
        raise Fault(
            f"a device of {name} receives {told:g} messages/s and needs "
            f"{settings['message'] / 1e6:g} ms for each, which is "
            f"{format_quantity(load, FRACTION)} of its time",
            hint='send fewer messages, or allow overload by "measure: {overload: allow}"',
            location=location,
        )

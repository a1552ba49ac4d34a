"""Checks of recurring events and handovers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import TIME, format_quantity
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Event
    from lasthop.study.forms.timing import Timing

MAXIMUM_TIMES = 10_000
"""Maximum number of occurrences of an event in a run."""

MAXIMUM_DEVICE_EVENTS = 1_000_000
"""Maximum number of occurrences of an event times its devices."""


def check_times(event: Event, devices: int, spans: Timing) -> None:
    """Check how often an event occurs, and that it ends before it recurs.

    Parameters
    ----------
    devices
        Number of devices that an event affects at a time; 1 for a server or a path.

    Raises
    ------
    Fault
        With the place of the interval, or of how long it takes.
    """
    form = event.form
    _check_it_is_over(event)
    _check_gap(event, spans)
    if form.every is None:
        return
    times = form.times_before(spans.duration_ns)
    location = (*event.location, "every")
    if times > MAXIMUM_TIMES:
        raise Fault(
            f"the event would happen {times} times in a run, and at most "
            f"{MAXIMUM_TIMES} are possible",
            hint=f'write "every: {_longer(form.every, times / MAXIMUM_TIMES)}" or more',
            location=location,
        )
    if times * devices > MAXIMUM_DEVICE_EVENTS:
        raise Fault(
            f"the event would happen {times} times to {devices} devices, and a run "
            f"can have {MAXIMUM_DEVICE_EVENTS} events of devices",
            hint=f'write "every: {_longer(form.every, times * devices / MAXIMUM_DEVICE_EVENTS)}" '
            "or more, or a smaller share",
            location=location,
        )


def _check_it_is_over(event: Event) -> None:
    """Raise an error if an event recurs before it has ended."""
    form = event.form
    key, lasts = ("gap", form.gap) if form.gap is not None else ("for", form.lasts)
    if form.every is None or form.is_random or lasts is None or lasts < form.every:
        return
    every = format_quantity(form.every, TIME)
    raise Fault(
        f"it would begin again after {every}, before its {format_quantity(lasts, TIME)} are over",
        hint=f'write less than {every}, or a longer "every"',
        location=(*event.location, key),
    )


def _check_gap(event: Event, spans: Timing) -> None:
    """Raise an error if a handover lasts beyond the end of the run."""
    form, end_ns = event.form, spans.duration_ns + spans.drain_ns
    if form.gap is not None and form.first + form.gap >= end_ns:
        left = format_quantity(max(1, end_ns - form.first), TIME)
        raise Fault(
            f"a gap of {format_quantity(form.gap, TIME)} does not end within the "
            f"run, which lasts for another {left}",
            hint=f'write less than {left}, or use "outage" for devices that do not come back',
            location=(*event.location, "gap"),
        )


def _longer(every_ns: int, factor: float) -> str:
    """Format an interval multiplied by a factor, in whole seconds."""
    second = 10**9
    return format_quantity((int(every_ns * factor) // second + 1) * second, TIME)

"""Measures of serial lines."""

from functools import partial

from lasthop.measures.measure import Direction, Kind, Measure

_time = partial(
    Measure, kind=Kind.POSITIVE, unit="s", direction=Direction.LESS, missing="no serial line"
)

SERIAL = (
    _time(
        name="serial_busy_s",
        called="time that the serial line was busy",
        meaning="How long bits were on a serial line, both ways together, the mean over the lines.",
    ),
    _time(
        name="serial_turnaround_s",
        called="time of turnarounds",
        meaning="How long a serial line was idle for another station to send while that one "
        "waited, the mean over the lines.",
    ),
)

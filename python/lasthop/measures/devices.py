"""Measures of constrained devices."""

from lasthop.measures.entries import count, text
from lasthop.measures.measure import Direction, FleetRule, Kind, Measure

DEVICES = (
    count(
        name="device_crashes_heap",
        called="crashes for want of memory",
        direction=Direction.LESS,
        meaning="How often a device that has little of everything (`device`) crashed because a "
        "task found no memory; empty where there is none, as all columns of such devices.",
    ),
    count(
        name="device_crashes_watchdog",
        called="crashes by the watchdog",
        direction=Direction.LESS,
        meaning="How often its watchdog reset one, whose task had worked without a pause.",
    ),
    count(
        name="messages_thrown_away",
        called="messages thrown away by readers",
        direction=Direction.LESS,
        meaning="Messages that came behind the first of a read, at a reader that looks at the "
        "first alone; one that is sent again counts again.",
    ),
    count(
        name="device_misreads",
        called="reads that made no sense",
        meaning="Reads of such a reader that began within a message that it had thrown away. What "
        "it takes for a message then, and may count as one, is none.",
    ),
    Measure(
        name="device_offline_s",
        fleet=FleetRule.SUM,
        kind=Kind.POSITIVE,
        unit="s",
        called="time off after crashes",
        direction=Direction.LESS,
        missing="no such device",
        meaning="For how long devices were off by their crashes, all together.",
    ),
    text(
        name="device_events",
        kind=Kind.RECORD,
        meaning="Each crash in order, with its time and its reason, and the end of its boot.",
    ),
)

"""The registry of all columns of ``runs.parquet``, in order."""

from functools import partial

from lasthop.measures.bills import BILLS
from lasthop.measures.caches import CACHES
from lasthop.measures.devices import DEVICES
from lasthop.measures.entries import text
from lasthop.measures.measure import (
    Direction,
    FleetNeed,
    FleetRule,
    Kind,
    MadeOf,
    Measure,
    Origin,
    Trials,
)
from lasthop.measures.messages import LATENCIES, MESSAGES
from lasthop.measures.radio import ENERGY, NETWORK
from lasthop.measures.serial import SERIAL
from lasthop.measures.sessions import SESSIONS
from lasthop.measures.timeliness import RECOVERIES, TIMELINESS
from lasthop.measures.wire import WIRE
from lasthop.measures.wlan import WLAN

_planned = partial(text, origin=Origin.PLAN)
_judged = partial(text, kind=Kind.NAME, origin=Origin.REFEREE)
_number = partial(Measure, kind=Kind.ORDINAL, arrow_type="int64", unit="count", origin=Origin.PLAN)

_PLAN = (
    _planned(name="study", kind=Kind.NAME, meaning="Name of the study."),
    _planned(name="part", kind=Kind.NAME, meaning="The item of the sweep."),
    _planned(
        name="case_id",
        kind=Kind.RECORD,
        meaning="The point of the grid with its stack; its repetitions share it.",
    ),
    _planned(
        name="run_id",
        kind=Kind.RECORD,
        meaning="The run: a hash of its spec, its seed and the version.",
    ),
    _planned(name="stack", kind=Kind.NAME, meaning="The stack as the study names it."),
    _planned(
        name="stack_resolved",
        kind=Kind.NAME,
        meaning="The stack with every option and default.",
    ),
    _planned(
        name="engine",
        kind=Kind.NAME,
        meaning="Which engine ran it: `virtual`, `wall_clock`, `live` or `load`.",
    ),
    _number(name="repetition", meaning="Its number among the repetitions of the case, from 1."),
    _number(name="seed", meaning="Where the randomness of the run comes from."),
)

_STATUS = (
    _judged(name="status", meaning="`completed`, `failed`, `invalid` or `unsupported`."),
    _judged(name="reason", meaning="Why it was not completed."),
)

_lateness = partial(
    Measure,
    kind=Kind.POSITIVE,
    unit="ms",
    direction=Direction.LESS,
    missing="in virtual time",
)

LATENESS = (
    _lateness(
        name="lateness_p50_ms",
        meaning="Median of how late the wall clock served what was due; empty in virtual time.",
    ),
    _lateness(
        name="lateness_p99_ms",
        meaning="99th percentile of how late the wall clock served what was due.",
    ),
    _lateness(
        name="lateness_max_ms",
        meaning="The latest that the wall clock served what was due.",
    ),
)

_machine = partial(
    Measure,
    kind=Kind.POSITIVE,
    direction=Direction.LESS,
    missing="no real server",
)

MACHINE = (
    _machine(
        name="server_cpu_s",
        unit="s",
        called="processor of the servers",
        meaning="Time on processors of the programs that were servers, the kernel's work for them "
        "included, from the end of the warm-up to the end of the run.",
    ),
    _machine(
        name="server_memory_peak_bytes",
        arrow_type="int64",
        unit="B",
        called="most memory of the servers",
        meaning="The most that lay in memory of each of these programs at a time, added.",
    ),
)

COLUMNS = (
    *_PLAN,
    *_STATUS,
    *MESSAGES,
    *LATENCIES,
    *TIMELINESS,
    *RECOVERIES,
    *WIRE,
    *SESSIONS,
    *DEVICES,
    *CACHES,
    *NETWORK,
    *WLAN,
    *SERIAL,
    *ENERGY,
    *BILLS,
    Measure(
        name="simulated_s",
        kind=Kind.POSITIVE,
        unit="s",
        meaning="Simulated time from the start of the run to its end.",
    ),
    *LATENESS,
    *MACHINE,
    text(
        name="trace_hash",
        kind=Kind.RECORD,
        meaning="Fingerprint of all packets, their times and their fates.",
    ),
    _planned(
        name="run_spec",
        kind=Kind.RECORD,
        meaning="All that the run was made from, as JSON: every setting and every default.",
    ),
)
"""All columns in order, without the swept keys."""

_derived = partial(Measure, direction=Direction.LESS, origin=Origin.DERIVED)
_complement = partial(
    _derived, kind=Kind.SHARE, unit="fraction", trials=Trials(of="messages_offered")
)

DERIVED = (
    _derived(
        name="wire_bytes_offered",
        fleet=FleetRule.SUM,
        kind=Kind.POSITIVE,
        unit="B",
        called="bytes sent both ways",
        made_of=MadeOf(("wire_bytes_up_offered", "wire_bytes_down_offered")),
        meaning="IP bytes that entered the path, both ways, in the whole run.",
    ),
    _derived(
        name="device_crashes",
        fleet=FleetRule.SUM,
        kind=Kind.COUNT,
        unit="count",
        called="crashes of devices",
        made_of=MadeOf(("device_crashes_heap", "device_crashes_watchdog")),
        meaning="How often devices that have little of everything crashed, whatever the reason.",
    ),
    _complement(
        name="loss_ratio",
        fleet=FleetRule.RATIO,
        called="share of messages lost",
        made_of=MadeOf(("delivery_ratio",), complement=True),
        meaning="One less `delivery_ratio`.",
    ),
    _complement(
        name="not_served_20s",
        fleet=FleetRule.RATIO,
        fleet_needs=FleetNeed.MESSAGES,
        called="share not delivered within 20 s",
        made_of=MadeOf(("availability_20s",), complement=True),
        meaning="One less `availability_20s`.",
    ),
)
"""Derived measures, which only claims can use."""

"""The meaning of each table column in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.measures import measure
from lasthop.results import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES: Mapping[str, tuple[str, schema.Schema]] = {
    "runs": (
        "A row for each run, and one more for each further part of the study that shares it.",
        schema.runs_schema({}),
    ),
    "messages": ("A row for each message of each run.", schema.MESSAGES),
    "ledger": ("Bytes by run, path, direction, fate, layer and cause.", schema.LEDGER),
    "packets": ("Packets and bytes by run, path, direction and fate.", schema.PACKETS),
    "latency": ("The latency histogram of each run, a row for each bin in use.", schema.LATENCY),
    "groups": (
        "What became of the messages of each run, by group, stratum and flow.",
        schema.GROUPS,
    ),
    "bills": (
        "What a SIM costs, by group, stratum, layer and cause; no rows without a tariff.",
        schema.BILLS,
    ),
    "sims": ("What the SIM of each simulated device costs; no rows without a tariff.", schema.SIMS),
    "programs": (
        "A row for each real program that took part in a run, from its readiness to the end.",
        schema.PROGRAMS,
    ),
    "timings": ("What each run cost the machine that made it.", schema.TIMINGS),
}
"""Meaning of a row and of each column, by table. Swept keys add columns to ``runs``."""

_SHARED = {
    "run_id": "The run: a hash of its spec, its seed and the version.",
    "path": "The path that they were on: that of the device, or of the gateway.",
    "direction": "`up` is away from the device, `down` towards it.",
    "fate": "What became of the packet that carried them.",
    "reason": "Why the packet was dropped, or discarded where it arrived.",
}

_BILL = {
    name: measure(name).meaning
    for name in (
        "bytes_per_month",
        "billed_bytes_per_month",
        "billed_bytes_set_up",
        "cost_per_year",
    )
}

_OTHERS: Mapping[str, Mapping[str, str]] = {
    "messages": {
        "group": "The group of devices.",
        "flow": "Which of the group's flows the message belongs to.",
        "device": "The device of the group, from 0.",
        "message": "The number of the message among those of its device, from 1.",
        "receiver": "Which of the devices that it is for, from 0; empty where it is for one.",
        "measured": "Whether it was due after the warm-up.",
        "intended_ns": "When it was due.",
        "sent_ns": "When the application first handed it over; empty if it never did.",
        "delivered_ns": "When it first arrived; of a round trip, back at the device.",
        "acknowledged_ns": "When its sender learnt that it had arrived.",
        "attempts": "How often the application sent it.",
        "deliveries": "How often it arrived.",
        "status": "`delivered`, `failed` or `unfinished`.",
        "failure": "Why it failed.",
        "latency_ms": "From `intended_ns` to `delivered_ns`.",
        "in_time": "Whether it arrived within the time that its flow sets (`within`); empty where "
        "the flow sets none.",
    },
    "ledger": {
        "layer": "The protocol layer that made the bytes.",
        "cause": "What the bytes are there for.",
        "bytes": "How many.",
    },
    "packets": {"packets": "How many packets.", "bytes": "How many IP bytes they hold."},
    "latency": {
        "lower_ns": "The shortest latency of the bin; empty for what never arrived.",
        "upper_ns": "Where the next bin begins; empty for what never arrived.",
        "messages": "How many messages fell into the bin.",
    },
    "groups": {
        "group": "The group of devices.",
        "stratum": "The part of the group; empty of the whole.",
        "flow": "Which of the group's flows.",
        "devices": "How many devices of the group or stratum have the flow.",
        "weight": "How many real devices each of them stands for.",
        "messages_offered": "Messages that were due after the warm-up.",
        "messages_delivered": "Of these, those that arrived.",
        "messages_failed": "Those that never will.",
        "messages_unfinished": "Those that were still on their way at the end of the run.",
        "delivery_ratio": "The share that arrived.",
        "latency_mean_ms": "The mean over those that arrived.",
        "latency_p50_ms": "The median over all that were due, to 0.4 %; empty is infinite.",
        "latency_p95_ms": "The 95th percentile, likewise.",
        "latency_p99_ms": "The 99th percentile, likewise.",
        "latency_max_ms": "The longest of those that arrived.",
        "messages_with_deadline": "Messages of flows that set a time for delivery (`within`).",
        "messages_in_time": "Of these, those that were delivered within that time.",
        "recoveries_due": "How often these devices had to recover from an event, whichever flow "
        "they are for.",
        "recoveries_completed": "Of these, those that ended with a message that was delivered.",
        "in_time_ratio": "The share of messages with a deadline that were delivered in time.",
        "age_of_information_mean_s": "The time average of the age of information at the receivers.",
        "age_of_information_max_s": "The greatest age of information.",
        "recovery_ratio": "The share of recoveries that were completed.",
        "recovery_p50_ms": "The median recovery time, to 0.4 %; empty is infinite.",
        "recovery_p95_ms": "The 95th percentile of the recovery time, likewise.",
        "recovery_max_ms": "The longest recovery time, where all recoveries were completed.",
        "energy_total_j": "Joules of the radios of these devices, whichever flow they are for.",
        "energy_set_up_j": "Joules until these devices were set up, once; also before what is "
        "measured.",
        "energy_steady_j": "`energy_total_j` without what it has of `energy_set_up_j`.",
        "energy_load_j": "Joules of these devices beside their radios; empty where nothing is "
        "written.",
        "battery_years": "How long a battery lasts after the set-up of its device, at the mean "
        "power of these devices.",
        "lifetime_ratio": "The share of these devices whose battery lasts for the asked lifetime.",
        **_BILL,
    },
    "bills": {
        "group": "The group of devices.",
        "stratum": "The part of the group; empty of the whole.",
        "layer": "The protocol layer that made the bytes; `tariff` where the tariff adds them.",
        "cause": "What the bytes are there for. Of a tariff: `packet_overhead`, `rounding`, `fee`, "
        "`minutes` or `cloud`.",
        "billed_bytes_per_month": "Billed bytes of a SIM in a month, the mean of these devices.",
        "cost_per_year": "Their part of the cost of a SIM in a year.",
    },
    "sims": {
        "group": "The group of devices.",
        "stratum": "The part of the group; empty of the whole.",
        "device": "The device of the group, from 0.",
        **_BILL,
    },
    "programs": {
        "server": "The server of the study that it was.",
        "software": "The name that the stack gives it (`impl`).",
        "version": "As the program tells it; of a build that was bound, the beginning of its hash.",
        "attempt": "Which attempt this was: runs that were too late are done again.",
        "cpu_s": "Time on processors, of the program and those that it started.",
        "run_queue_wait_s": "Time that it could have run, and waited for a processor.",
        "memory_peak_bytes": "The most that lay in memory at a time.",
        "voluntary_switches": "How often it gave a processor away.",
        "involuntary_switches": "How often one was taken from it.",
        "cpu_pressure": "The share of the run in which some task of the machine waited for a "
        "processor; empty where the kernel does not count it.",
    },
    "timings": {"wall_s": "Time that passed.", "cpu_s": "Time of a processor that it took."},
}


def meaning(table: str, column: str) -> str:
    """Return the meaning of a column.

    Examples
    --------
    >>> meaning("messages", "deliveries")
    'How often it arrived.'

    Raises
    ------
    LookupError
        If nobody has said it yet.
    """
    if table == "runs":
        return measure(column).meaning
    said = {**_SHARED, **_OTHERS[table]}
    if column not in said:
        raise LookupError(f"lasthop.results.meaning does not say what {table}.{column} holds")
    return said[column]

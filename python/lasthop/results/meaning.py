"""What each column of each table says, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.results import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

TABLES: Mapping[str, tuple[str, pa.Schema]] = {
    "runs": (
        "A row for each run, and one more for each further part of the study that shares it.",
        schema.runs_schema({}),
    ),
    "messages": ("A row for each message of each run.", schema.MESSAGES),
    "ledger": ("Bytes by run, direction, fate, layer and cause.", schema.LEDGER),
    "packets": ("Packets and bytes by run, direction and fate.", schema.PACKETS),
    "latency": ("The latency histogram of each run, a row for each bin in use.", schema.LATENCY),
    "timings": ("What each run cost the machine that made it.", schema.TIMINGS),
}
"""What a row of each table is, and its columns; swept keys add theirs to ``runs``."""

_WAYS = {"up": "up, away from the device", "down": "down, towards the device"}
_FATES = {"offered": "entered", "delivered": "left"}

_SHARED = {
    "run_id": "The run: a hash of its spec, its seed and the version.",
    "direction": "`up` is away from the device, `down` towards it.",
    "fate": "What became of the packet that carried them.",
    "reason": "Why the packet was dropped, or discarded where it arrived.",
}

_CHANNELS = {
    "npdcch": "the usable downlink subframes",
    "npdsch": "the usable downlink subframes",
    "npusch": "the uplink, in tones and time,",
    "nprach": "the uplink, in tones and time,",
}

_ENERGY_CAUSES = {
    "random_access": "random access, up to the resolution of contention",
    "signalling": "RRC and NAS messages",
    "payload": "IP packets with the headers of the radio",
    "acknowledgement": "HARQ feedback and RLC status",
    "waiting": "being connected with nothing under way",
    "synchronisation": "cell search, system information and getting in step again",
    "paging": "listening to paging occasions while idle",
    "sleep": "sleep while idle or in power saving mode",
}
_RADIO_STATES = {
    "deep_sleep": "were in power saving mode",
    "light_sleep": "were idle and did not listen",
    "connected_sleep": "were connected and neither sent nor listened",
    "receive": "listened",
    "transmit": "sent",
}

_RUNS = {
    "study": "Name of the study.",
    "part": "The item of the sweep.",
    "case_id": "The point of the grid with its stack; its repetitions share it.",
    "stack": "The stack as the study names it.",
    "stack_resolved": "The stack with every option and default.",
    "engine": "What ran it: `virtual`, in virtual time.",
    "repetition": "Its number among the repetitions of the case, from 1.",
    "seed": "Where the randomness of the run comes from.",
    "status": "`completed`, `failed`, `invalid` or `unsupported`.",
    "reason": "Why it was not completed.",
    "messages_offered": "Measured messages that were due.",
    "messages_delivered": "Of these, how many arrived at least once.",
    "messages_duplicated": "Further deliveries of messages that had arrived before.",
    "messages_failed": "Of those offered, how many can no longer arrive.",
    "messages_unfinished": "Of those offered, how many were still under way when the run ended.",
    "delivery_ratio": "`messages_delivered` divided by `messages_offered`.",
    "latency_mean_ms": "Mean latency of the delivered messages.",
    "latency_p50_ms": "Median latency of the offered messages; empty where fewer arrived.",
    "latency_p95_ms": "95th percentile over the offered messages; empty where fewer arrived.",
    "latency_p99_ms": "99th percentile over the offered messages; empty where fewer arrived.",
    "latency_max_ms": "Longest latency of a delivered message.",
    **{
        f"wire_bytes_{way}_{fate}": f"IP bytes that {what} the path on the way {_WAYS[way]}."
        for way in _WAYS
        for fate, what in _FATES.items()
    },
    **{
        f"packets_{way}_{fate}": f"Packets that {what} the path on the way {_WAYS[way]}."
        for way in _WAYS
        for fate, what in _FATES.items()
    },
    "payload_bytes_first_sent": "Bytes of the first copy of each payload, on every leg.",
    "control_bytes_per_100": "Offered bytes beside these first copies, for 100 B of them.",
    "control_bytes_per_100_ethernet": "The same with 14 B of Ethernet for each packet.",
    "retransmissions_application": "Attempts beyond the first that applications made.",
    "retransmissions_transport": "Packets in which the transport sent bytes again.",
    "uncarried_ratio": "Share of the offered load that the path did not carry.",
    "device_throughput_bit_s": "Mean, over the delivered messages of a network, of payload bits "
    "for each second from `intended_ns` to `delivered_ns`.",
    "availability_20s": "Share of the offered messages of a network that arrived within 20 s.",
    "cell_throughput_bit_s": "Payload bits that arrived, for each measured second and cell.",
    "lowest_path_gain_served_db": "Path gain of the farthest device whose message arrived "
    "within 20 s.",
    "random_access_preambles": "Preambles that devices sent, in the whole run.",
    "random_access_collisions": "Of these, those whose tone another device chose as well.",
    "random_access_failures": "Random accesses that ended without success.",
    "early_data": "Random accesses that data in the third message and the answer to it completed.",
    "early_data_fallbacks": "Announcements of early data that ended in a usual random access.",
    "radio_link_failures": "Connections that the failure of the radio link ended.",
    "rlc_retransmissions": "RLC PDUs that were sent again, both ways.",
    "harq_retransmission_up_ratio": "Share of the transport blocks on NPUSCH that HARQ repeated.",
    "harq_retransmission_down_ratio": "Share of those on NPDSCH.",
    **{
        f"occupancy_{channel}_ratio": f"Share of {what} in which {channel.upper()} was sent."
        for channel, what in _CHANNELS.items()
    },
    "failure_reasons": "Why messages of a network failed, and how many for each reason.",
    **{
        f"energy_{cause}_j": f"What the radios of all devices drew for {what}."
        for cause, what in _ENERGY_CAUSES.items()
    },
    "energy_j": "All of these together; empty where no link has a radio.",
    "energy_per_message_j": "`energy_j` divided by `messages_delivered`.",
    **{
        f"radio_{state}_s": f"How long the radios of all devices {what}."
        for state, what in _RADIO_STATES.items()
    },
    "battery_years": "How long a battery lasts at the mean power; empty where devices come and go.",
    "trace_hash": "Fingerprint of all packets, their times and their fates.",
    "simulated_s": "Simulated time from the start of the run to its end.",
    "run_spec": "All that the run was made from, as JSON: every setting and every default.",
}

_OTHERS: Mapping[str, Mapping[str, str]] = {
    "messages": {
        "device": "The device, from 0.",
        "message": "The number of the message among those of its device, from 1.",
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
    "timings": {"wall_s": "Time that passed.", "cpu_s": "Time of a processor that it took."},
}


def meaning(table: str, column: str) -> str:
    """Say what a column holds.

    Examples
    --------
    >>> meaning("messages", "deliveries")
    'How often it arrived.'

    Raises
    ------
    LookupError
        If nobody has said it yet.
    """
    said = {**_SHARED, **(_RUNS if table == "runs" else _OTHERS[table])}
    if column not in said:
        raise LookupError(f"lasthop.results.meaning does not say what {table}.{column} holds")
    return said[column]

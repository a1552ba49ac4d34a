"""The columns of every table: the one owner of names, types and units."""

from collections.abc import Mapping

import pyarrow as pa

from lasthop.errors import LasthopError
from lasthop.study.energy import ENERGY_CAUSES


def _field(name: str, kind: pa.DataType, unit: str | None = None) -> pa.Field:
    return pa.field(name, kind, metadata=None if unit is None else {"unit": unit})


RADIO_WAYS = ("up", "down")
RADIO_CHANNELS = ("npdcch", "npdsch", "npusch", "nprach")
RADIO_STATES = ("deep_sleep", "light_sleep", "connected_sleep", "receive", "transmit")

PLANNED = (
    _field("study", pa.string()),
    _field("part", pa.string()),
    _field("case_id", pa.string()),
    _field("run_id", pa.string()),
    _field("stack", pa.string()),
    _field("stack_resolved", pa.string()),
    _field("engine", pa.string()),
    _field("repetition", pa.int64()),
    _field("seed", pa.int64()),
)

MEASURED = (
    _field("status", pa.string()),
    _field("reason", pa.string()),
    _field("messages_offered", pa.int64()),
    _field("messages_delivered", pa.int64()),
    _field("messages_duplicated", pa.int64()),
    _field("messages_failed", pa.int64()),
    _field("messages_unfinished", pa.int64()),
    _field("delivery_ratio", pa.float64(), "fraction"),
    _field("latency_mean_ms", pa.float64(), "ms"),
    _field("latency_p50_ms", pa.float64(), "ms"),
    _field("latency_p95_ms", pa.float64(), "ms"),
    _field("latency_p99_ms", pa.float64(), "ms"),
    _field("latency_max_ms", pa.float64(), "ms"),
    _field("wire_bytes_up_offered", pa.int64(), "B"),
    _field("wire_bytes_up_delivered", pa.int64(), "B"),
    _field("wire_bytes_down_offered", pa.int64(), "B"),
    _field("wire_bytes_down_delivered", pa.int64(), "B"),
    _field("packets_up_offered", pa.int64()),
    _field("packets_up_delivered", pa.int64()),
    _field("packets_down_offered", pa.int64()),
    _field("packets_down_delivered", pa.int64()),
    _field("payload_bytes_first_sent", pa.int64(), "B"),
    _field("control_bytes_per_100", pa.float64(), "B per 100 B"),
    _field("control_bytes_per_100_ethernet", pa.float64(), "B per 100 B"),
    _field("retransmissions_application", pa.int64()),
    _field("retransmissions_transport", pa.int64()),
    _field("uncarried_ratio", pa.float64(), "fraction"),
    _field("device_throughput_bit_s", pa.float64(), "bit/s"),
    _field("availability_20s", pa.float64(), "fraction"),
    _field("cell_throughput_bit_s", pa.float64(), "bit/s"),
    _field("lowest_path_gain_served_db", pa.float64(), "dB"),
    _field("random_access_preambles", pa.int64()),
    _field("random_access_collisions", pa.int64()),
    _field("random_access_failures", pa.int64()),
    _field("early_data", pa.int64()),
    _field("early_data_fallbacks", pa.int64()),
    _field("radio_link_failures", pa.int64()),
    _field("rlc_retransmissions", pa.int64()),
    *(_field(f"harq_retransmission_{way}_ratio", pa.float64(), "fraction") for way in RADIO_WAYS),
    *(_field(f"occupancy_{name}_ratio", pa.float64(), "fraction") for name in RADIO_CHANNELS),
    _field("failure_reasons", pa.string()),
    *(_field(f"energy_{cause}_j", pa.float64(), "J") for cause in ENERGY_CAUSES),
    _field("energy_j", pa.float64(), "J"),
    _field("energy_per_message_j", pa.float64(), "J"),
    *(_field(f"radio_{state}_s", pa.float64(), "s") for state in RADIO_STATES),
    _field("battery_years", pa.float64(), "years"),
    _field("simulated_s", pa.float64(), "s"),
    _field("trace_hash", pa.string()),
)

SUMMARY = pa.schema(MEASURED)

MESSAGES = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("device", pa.int32()),
        _field("message", pa.int32()),
        _field("measured", pa.bool_()),
        _field("intended_ns", pa.int64(), "ns"),
        _field("sent_ns", pa.int64(), "ns"),
        _field("delivered_ns", pa.int64(), "ns"),
        _field("acknowledged_ns", pa.int64(), "ns"),
        _field("attempts", pa.int32()),
        _field("deliveries", pa.int32()),
        _field("status", pa.string()),
        _field("failure", pa.string()),
        _field("latency_ms", pa.float64(), "ms"),
    ]
)

LEDGER = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("direction", pa.string()),
        _field("fate", pa.string()),
        _field("reason", pa.string()),
        _field("layer", pa.string()),
        _field("cause", pa.string()),
        _field("bytes", pa.int64(), "B"),
    ]
)

PACKETS = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("direction", pa.string()),
        _field("fate", pa.string()),
        _field("reason", pa.string()),
        _field("packets", pa.int64()),
        _field("bytes", pa.int64(), "B"),
    ]
)

LATENCY = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("lower_ns", pa.int64(), "ns"),
        _field("upper_ns", pa.int64(), "ns"),
        _field("messages", pa.int64()),
    ]
)

TIMINGS = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("wall_s", pa.float64(), "s"),
        _field("cpu_s", pa.float64(), "s"),
    ]
)

# What a run hands over beside its summary; each run is in each of these once.
RUN_TABLES: Mapping[str, pa.Schema] = {
    "messages": MESSAGES,
    "ledger": LEDGER,
    "packets": PACKETS,
    "latency": LATENCY,
}


def runs_schema(swept: Mapping[str, tuple[pa.DataType, str | None]]) -> pa.Schema:
    """Lay out `runs.parquet` for a study with these swept columns (type and unit by name)."""
    parameters = [_field(name, kind, unit) for name, (kind, unit) in swept.items()]
    return pa.schema([*PLANNED, *MEASURED, *parameters, _field("run_spec", pa.string())])


def conform(table: pa.Table, schema: pa.Schema, *, name: str) -> pa.Table:
    """Give a table of the extension exactly the types and the order that are stored."""
    if set(table.schema.names) != set(schema.names):
        differing = sorted(set(table.schema.names) ^ set(schema.names))
        message = f"the {name} table of the simulator does not fit this lasthop: {differing}"
        raise LasthopError(message)
    return table.select(schema.names).cast(schema)

"""The columns of every table with their types and units; those of runs are the measures."""

from collections.abc import Mapping

import pyarrow as pa

from lasthop.errors import LasthopError
from lasthop.measures import COLUMNS, Measure, Origin, measure


def _field(name: str, kind: pa.DataType, unit: str | None = None) -> pa.Field:
    return pa.field(name, kind, metadata=None if unit is None else {"unit": unit})


_MADE_BY_A_RUN = {Origin.RUN, Origin.REFEREE}


def _stored(column: Measure) -> pa.Field:
    unit = None if column.unit in {"", "count"} else column.unit
    return _field(
        column.name,
        pa.type_for_alias(column.arrow_type),
        f"{unit} per {column.per}" if column.per else unit,
    )


_RUN_SPEC = _stored(measure("run_spec"))
PLANNED = tuple(
    _stored(column)
    for column in COLUMNS
    if column.origin is Origin.PLAN and column.name != _RUN_SPEC.name
)
MEASURED = tuple(_stored(column) for column in COLUMNS if column.origin in _MADE_BY_A_RUN)

SUMMARY = pa.schema(MEASURED)

MESSAGES = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("group", pa.string()),
        _field("flow", pa.string()),
        _field("device", pa.int32()),
        _field("message", pa.int32()),
        _field("receiver", pa.int32()),
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
        _field("path", pa.string()),
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
        _field("path", pa.string()),
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

GROUPS = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("group", pa.string()),
        _field("stratum", pa.string()),
        _field("flow", pa.string()),
        _field("devices", pa.int64()),
        _field("weight", pa.float64()),
        _field("messages_offered", pa.int64()),
        _field("messages_delivered", pa.int64()),
        _field("messages_failed", pa.int64()),
        _field("messages_unfinished", pa.int64()),
        _field("delivery_ratio", pa.float64(), "fraction"),
        _field("latency_mean_ms", pa.float64(), "ms"),
        _field("latency_p50_ms", pa.float64(), "ms"),
        _field("latency_p95_ms", pa.float64(), "ms"),
        _field("latency_p99_ms", pa.float64(), "ms"),
        _field("latency_max_ms", pa.float64(), "ms"),
        _field("energy_total_j", pa.float64(), "J"),
        _field("battery_years", pa.float64(), "years"),
    ]
)

PROGRAMS = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("server", pa.string()),
        _field("software", pa.string()),
        _field("version", pa.string()),
        _field("attempt", pa.int32()),
        _field("cpu_s", pa.float64(), "s"),
        _field("run_queue_wait_s", pa.float64(), "s"),
        _field("memory_peak_bytes", pa.int64(), "B"),
        _field("voluntary_switches", pa.int64()),
        _field("involuntary_switches", pa.int64()),
        _field("cpu_pressure", pa.float64(), "fraction"),
    ]
)

TIMINGS = pa.schema(
    [
        _field("run_id", pa.string()),
        _field("wall_s", pa.float64(), "s"),
        _field("cpu_s", pa.float64(), "s"),
    ]
)

# What the simulator hands over of a run beside its summary; each run is in each of these once.
SIMULATED_TABLES: Mapping[str, pa.Schema] = {
    "messages": MESSAGES,
    "ledger": LEDGER,
    "packets": PACKETS,
    "latency": LATENCY,
    "groups": GROUPS,
}

# With what the lab tells of real software that took part.
RUN_TABLES: Mapping[str, pa.Schema] = {**SIMULATED_TABLES, "programs": PROGRAMS}


def runs_schema(swept: Mapping[str, tuple[pa.DataType, str | None]]) -> pa.Schema:
    """Lay out `runs.parquet` for a study with these swept columns (type and unit by name)."""
    parameters = [_field(name, kind, unit) for name, (kind, unit) in swept.items()]
    return pa.schema([*PLANNED, *MEASURED, *parameters, _RUN_SPEC])


def conform(table: pa.Table, schema: pa.Schema, *, name: str) -> pa.Table:
    """Give a table of the extension exactly the types and the order that are stored."""
    if set(table.schema.names) != set(schema.names):
        differing = sorted(set(table.schema.names) ^ set(schema.names))
        message = f"the {name} table of the simulator does not fit this lasthop: {differing}"
        raise LasthopError(message)
    return table.select(schema.names).cast(schema)

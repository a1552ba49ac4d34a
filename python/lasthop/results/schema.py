"""Schemas of all tables: names, types and units of their columns."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import polars as pl

from lasthop.compiled import compiled_part
from lasthop.errors import LasthopError
from lasthop.measures import COLUMNS, Measure, Origin, measure

_ARROW = "ARROW:schema"
"""Key of the Arrow schema in Parquet metadata, which holds types and field metadata."""

_TYPES: Mapping[str, type[pl.DataType]] = {
    "bool": pl.Boolean,
    "int32": pl.Int32,
    "int64": pl.Int64,
    "float64": pl.Float64,
    "string": pl.String,
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, Arrow type name and unit."""

    name: str
    kind: str
    unit: str | None = None


class Schema:
    """The columns of a table in their order.

    Attributes
    ----------
    names
        The names of the columns.
    types
        Their types, as Polars has them.
    """

    def __init__(self, columns: Iterable[Column]) -> None:
        self.columns = tuple(columns)
        self.names = [column.name for column in self.columns]
        self.types = pl.Schema({column.name: _TYPES[column.kind] for column in self.columns})
        self._kinds = [_TYPES[column.kind] for column in self.columns]

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Read the schema from a Parquet file, with units and meanings."""
        types = pl.read_parquet_schema(path)
        kinds = {kind: name for name, kind in _TYPES.items()}
        schema = cls(Column(name, kinds[type(kind)]) for name, kind in types.items())
        schema.metadata = {
            name: told for name, told in pl.read_parquet_metadata(path).items() if name == _ARROW
        }
        return schema

    def __iter__(self) -> Iterator[Column]:
        """Yield the columns."""
        return iter(self.columns)

    @cached_property
    def metadata(self) -> Mapping[str, str]:
        """Return the metadata of a Parquet file, including units."""
        with compiled_part():
            from lasthop import _native  # noqa: PLC0415  (its absence is told in one line)
        columns = [(column.name, column.kind, column.unit) for column in self.columns]
        return {_ARROW: base64.b64encode(_native.arrow_schema(columns)).decode()}

    def fits(self, table: pl.DataFrame) -> bool:
        """Return whether a table has exactly these columns. Five times faster than in Polars."""
        kinds = [type(kind) for kind in table.dtypes]
        return table.columns == self.names and kinds == self._kinds

    def empty(self) -> pl.DataFrame:
        """Return an empty table."""
        return pl.DataFrame(schema=self.types)

    def table(self, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
        """Return a table of rows. Missing values are null."""
        return pl.DataFrame(
            [
                pl.Series(name, [row.get(name) for row in rows], dtype=kind)
                for name, kind in self.types.items()
            ]
        )


_MADE_BY_A_RUN = {Origin.RUN, Origin.REFEREE}


def _stored(column: Measure) -> Column:
    unit = None if column.unit in {"", "count"} else column.unit
    return Column(
        column.name,
        column.arrow_type,
        f"{unit} per {column.per}" if column.per else unit,
    )


_RUN_SPEC = _stored(measure("run_spec"))
PLANNED = tuple(
    _stored(column)
    for column in COLUMNS
    if column.origin is Origin.PLAN and column.name != _RUN_SPEC.name
)
MEASURED = tuple(_stored(column) for column in COLUMNS if column.origin in _MADE_BY_A_RUN)

SUMMARY = Schema(MEASURED)

MESSAGES = Schema(
    [
        Column("run_id", "string"),
        Column("group", "string"),
        Column("flow", "string"),
        Column("device", "int32"),
        Column("message", "int32"),
        Column("receiver", "int32"),
        Column("measured", "bool"),
        Column("intended_ns", "int64", "ns"),
        Column("sent_ns", "int64", "ns"),
        Column("delivered_ns", "int64", "ns"),
        Column("acknowledged_ns", "int64", "ns"),
        Column("attempts", "int32"),
        Column("deliveries", "int32"),
        Column("status", "string"),
        Column("failure", "string"),
        Column("latency_ms", "float64", "ms"),
        Column("in_time", "bool"),
    ]
)

LEDGER = Schema(
    [
        Column("run_id", "string"),
        Column("path", "string"),
        Column("direction", "string"),
        Column("fate", "string"),
        Column("reason", "string"),
        Column("layer", "string"),
        Column("cause", "string"),
        Column("bytes", "int64", "B"),
    ]
)

PACKETS = Schema(
    [
        Column("run_id", "string"),
        Column("path", "string"),
        Column("direction", "string"),
        Column("fate", "string"),
        Column("reason", "string"),
        Column("packets", "int64"),
        Column("bytes", "int64", "B"),
    ]
)

LATENCY = Schema(
    [
        Column("run_id", "string"),
        Column("lower_ns", "int64", "ns"),
        Column("upper_ns", "int64", "ns"),
        Column("messages", "int64"),
    ]
)

_BILL = (
    Column("bytes_per_month", "float64", "B"),
    Column("billed_bytes_per_month", "float64", "B"),
    Column("billed_bytes_set_up", "float64", "B"),
    Column("cost_per_year", "float64", "money"),
)

GROUPS = Schema(
    [
        Column("run_id", "string"),
        Column("group", "string"),
        Column("stratum", "string"),
        Column("flow", "string"),
        Column("devices", "int64"),
        Column("weight", "float64"),
        Column("messages_offered", "int64"),
        Column("messages_delivered", "int64"),
        Column("messages_failed", "int64"),
        Column("messages_unfinished", "int64"),
        Column("delivery_ratio", "float64", "fraction"),
        Column("latency_mean_ms", "float64", "ms"),
        Column("latency_p50_ms", "float64", "ms"),
        Column("latency_p95_ms", "float64", "ms"),
        Column("latency_p99_ms", "float64", "ms"),
        Column("latency_max_ms", "float64", "ms"),
        Column("messages_with_deadline", "int64"),
        Column("messages_in_time", "int64"),
        Column("recoveries_due", "int64"),
        Column("recoveries_completed", "int64"),
        Column("in_time_ratio", "float64", "fraction"),
        Column("age_of_information_mean_s", "float64", "s"),
        Column("age_of_information_max_s", "float64", "s"),
        Column("recovery_ratio", "float64", "fraction"),
        Column("recovery_p50_ms", "float64", "ms"),
        Column("recovery_p95_ms", "float64", "ms"),
        Column("recovery_max_ms", "float64", "ms"),
        Column("energy_total_j", "float64", "J"),
        Column("energy_set_up_j", "float64", "J"),
        Column("energy_steady_j", "float64", "J"),
        Column("energy_load_j", "float64", "J"),
        Column("battery_years", "float64", "years"),
        Column("lifetime_ratio", "float64", "fraction"),
        *_BILL,
    ]
)

BILLS = Schema(
    [
        Column("run_id", "string"),
        Column("group", "string"),
        Column("stratum", "string"),
        Column("layer", "string"),
        Column("cause", "string"),
        Column("billed_bytes_per_month", "float64", "B"),
        Column("cost_per_year", "float64", "money"),
    ]
)

SIMS = Schema(
    [
        Column("run_id", "string"),
        Column("group", "string"),
        Column("stratum", "string"),
        Column("device", "int64"),
        *_BILL,
    ]
)

PROGRAMS = Schema(
    [
        Column("run_id", "string"),
        Column("server", "string"),
        Column("software", "string"),
        Column("version", "string"),
        Column("attempt", "int32"),
        Column("cpu_s", "float64", "s"),
        Column("run_queue_wait_s", "float64", "s"),
        Column("memory_peak_bytes", "int64", "B"),
        Column("voluntary_switches", "int64"),
        Column("involuntary_switches", "int64"),
        Column("cpu_pressure", "float64", "fraction"),
    ]
)

TIMINGS = Schema(
    [
        Column("run_id", "string"),
        Column("wall_s", "float64", "s"),
        Column("cpu_s", "float64", "s"),
    ]
)

# What the simulator hands over of a run beside its summary; each run is in each of these once.
SIMULATED_TABLES: Mapping[str, Schema] = {
    "messages": MESSAGES,
    "ledger": LEDGER,
    "packets": PACKETS,
    "latency": LATENCY,
    "groups": GROUPS,
    "bills": BILLS,
    "sims": SIMS,
}

# With what the lab tells of real software that took part.
RUN_TABLES: Mapping[str, Schema] = {**SIMULATED_TABLES, "programs": PROGRAMS}


def runs_schema(swept: Mapping[str, tuple[str, str | None]]) -> Schema:
    """Return the schema of `runs.parquet` with the swept columns of a study."""
    parameters = [Column(name, kind, unit) for name, (kind, unit) in swept.items()]
    return Schema([*PLANNED, *MEASURED, *parameters, _RUN_SPEC])


def conform(table: pl.DataFrame, schema: Schema, *, name: str) -> pl.DataFrame:
    """Return a simulator's table with exactly the stored columns, types and order."""
    if schema.fits(table):
        return table
    if set(table.columns) != set(schema.names):
        differing = sorted(set(table.columns) ^ set(schema.names))
        message = (
            "the compiled part and lasthop have different versions (columns "
            f"{differing} of {name}); install lasthop again"
        )
        raise LasthopError(message)
    return table.select(schema.names).cast(schema.types)

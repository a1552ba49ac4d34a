"""What is compared: the measured columns, and whether more of each is better."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lasthop.report.columns import Column, column_of, resolve_column

_COMPARED = (
    ("delivery_ratio", True),
    ("availability_20s", True),
    ("latency_p50_ms", False),
    ("latency_p95_ms", False),
    ("latency_p99_ms", False),
    ("device_throughput_bit_s", True),
    ("cell_throughput_bit_s", True),
    ("wire_bytes_up_offered", False),
    ("wire_bytes_down_offered", False),
    ("control_bytes_per_100", False),
    ("energy_per_message_j", False),
    ("battery_years", True),
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A column and its good direction.

    Parameters
    ----------
    column : Column
        As in ``runs.parquet``.
    more_is_better : bool
        Whether an increase is an improvement.
    """

    column: Column
    more_is_better: bool

    @property
    def worst(self) -> float:
        """What an empty cell counts as."""
        return -math.inf if self.more_is_better else math.inf


def measures(study: Mapping[str, Any], columns: Sequence[str]) -> tuple[Measure, ...]:
    """Return the aim of the study, then delivery, latencies and bytes.

    Parameters
    ----------
    study : mapping
        As the manifest holds it; its aim is what it decides by.
    columns : sequence of str
        Those that both tables have.

    Examples
    --------
    >>> study = {"decide": {"maximise": "messages_delivered"}}
    >>> [found.column.name for found in measures(study, ["messages_delivered", "delivery_ratio"])]
    ['messages_delivered', 'delivery_ratio']
    """
    asked: Mapping[str, Any] = study.get("decide") or {}
    aim = asked.get("maximise") or asked.get("minimise")
    name = resolve_column(aim, columns) if aim else None
    first = () if name is None else ((name, bool(asked.get("maximise"))),)
    others = tuple(entry for entry in _COMPARED if entry[0] != name and entry[0] in columns)
    return tuple(Measure(column_of(found), better) for found, better in (*first, *others))

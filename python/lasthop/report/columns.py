"""The measured columns: what they are called, in which unit, and which are infinite when empty."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

UNIT_SUFFIXES = {
    "_bit_s": "bit/s",
    "_ms": "ms",
    "_s": "s",
    "_ns": "ns",
    "_us": "us",
    "_j": "J",
    "_db": "dB",
}
"""Units by how names end; a longer end stands before the shorter one in which it ends."""
_BYTE_PREFIXES = ("wire_bytes_", "payload_bytes_", "control_bytes_")
_WAITING = ("latency_", "device_throughput_")
_LABELS = {
    "latency_mean": "mean latency of delivered messages",
    "latency_p50": "median latency",
    "latency_p95": "95th percentile of latency",
    "latency_p99": "99th percentile of latency",
    "latency_max": "longest latency of delivered messages",
    "delivery_ratio": "share of messages delivered",
    "availability_20s": "share delivered within 20 s",
    "device_throughput": "mean throughput of a device",
    "cell_throughput": "mean throughput of a cell",
    "lowest_path_gain_served": "lowest path gain served",
    **{
        f"occupancy_{channel.lower()}_ratio": f"{channel} occupied"
        for channel in ("NPDCCH", "NPDSCH", "NPUSCH", "NPRACH")
    },
    "control_bytes_per_100": "control bytes per 100 B of payload",
    "control_bytes_per_100_ethernet": "control bytes per 100 B of payload, with Ethernet",
    "wire_bytes_up_offered": "bytes sent up",
    "wire_bytes_down_offered": "bytes sent down",
    "retransmissions_application": "retransmissions by the application",
    "retransmissions_transport": "retransmissions by the transport",
    "energy": "energy of all devices",
    "energy_per_message": "energy of a delivered message",
    "battery_years": "battery life",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One measured column.

    Parameters
    ----------
    name : str
        As in ``runs.parquet``, with its unit: ``latency_p50_ms``.
    unit : str
        ``ms``, ``B``, ``fraction``, ``count``, ...
    """

    name: str
    unit: str

    @property
    def short_name(self) -> str:
        """The name without its unit, as expressions use it."""
        for suffix in UNIT_SUFFIXES:
            if self.name.endswith(suffix):
                return self.name.removesuffix(suffix)
        return self.name

    @property
    def label(self) -> str:
        """What a person calls it."""
        return _LABELS.get(self.short_name, self.short_name.replace("_", " "))

    @property
    def is_waiting(self) -> bool:
        """Whether it is a latency or made of latencies.

        A queue that never settles has none: what is measured depends on how long the run is.
        """
        return self.name.startswith(_WAITING)

    @property
    def missing(self) -> str:
        """What an empty cell means."""
        if not self.name.startswith("latency_"):
            return "no value"
        percentile = self.short_name.startswith("latency_p")
        return "not reached" if percentile else "nothing delivered"


def column_of(name: str, *, units: Mapping[str, str] | None = None) -> Column:
    """Describe the column ``name``; ``units`` are known ones, which win over the name's.

    Examples
    --------
    >>> column_of("latency_p95_ms").label
    '95th percentile of latency'
    """
    known = (units or {}).get(name)
    return Column(name=name, unit=known if known is not None else _unit_of(name))


def resolve_column(name: str, existing: Iterable[str]) -> str | None:
    """Find the column that a name without unit stands for, or None.

    Examples
    --------
    >>> resolve_column("latency_p50", ["stack", "latency_p50_ms"])
    'latency_p50_ms'
    """
    columns = list(existing)
    plain = name.replace(".", "_")
    candidates = [plain, *(plain + suffix for suffix in UNIT_SUFFIXES)]
    return next((candidate for candidate in candidates if candidate in columns), None)


def possible_values(unit: str) -> tuple[float, float]:
    """Give the least and the greatest value that a column of this unit can hold.

    Examples
    --------
    >>> possible_values("fraction")
    (0.0, 1.0)
    """
    if unit == "fraction":
        return 0.0, 1.0
    return (-math.inf if unit == "dB" else 0.0), math.inf


def _unit_of(name: str) -> str:
    for suffix, unit in UNIT_SUFFIXES.items():
        if name.endswith(suffix):
            return unit
    if name.endswith("_ratio") or name.startswith("availability_"):
        return "fraction"
    if name.endswith("_years"):
        return "years"
    return "B" if name.startswith(_BYTE_PREFIXES) else "count"

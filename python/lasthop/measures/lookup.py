"""Looks up measures by name, with or without the unit."""

from collections.abc import Iterable

from lasthop.measures.measure import ENDINGS, Kind, Measure
from lasthop.measures.registry import COLUMNS, DERIVED

_BY_NAME = {column.name: column for column in (*COLUMNS, *DERIVED)}
_BY_SHORT_NAME = {column.short_name: column for column in _BY_NAME.values()}
_KINDS = {"dB": Kind.DECIBEL}


def measure(name: str) -> Measure:
    """Return the measure of a column.

    Raises
    ------
    LookupError
        If nothing of this name is measured.
    """
    if name not in _BY_NAME:
        raise LookupError(f"lasthop.measures has no entry {name}")
    return _BY_NAME[name]


def named(short_name: str) -> Measure | None:
    """Return the measure of a column name without unit, or None.

    Examples
    --------
    >>> named("latency_p50").name
    'latency_p50_ms'
    """
    return _BY_SHORT_NAME.get(short_name)


def column_of(name: str) -> Measure:
    """Return the measure of a number column of ``runs.parquet``, swept columns included.

    Examples
    --------
    >>> column_of("latency_p95_ms").label
    '95th percentile of latency'
    >>> column_of("path_delay_around_ms").unit
    'ms'
    """
    return _BY_NAME.get(name) or _swept(name)


def resolve_column(name: str, existing: Iterable[str]) -> str | None:
    """Return the full column name of a name without unit, or None.

    Examples
    --------
    >>> resolve_column("latency_p50", ["stack", "latency_p50_ms"])
    'latency_p50_ms'
    """
    columns = list(existing)
    plain = name.replace(".", "_")
    candidates = [plain, *(plain + ending for ending in ENDINGS.values())]
    return next((candidate for candidate in candidates if candidate in columns), None)


def _swept(name: str) -> Measure:
    unit = next((unit for unit, ending in ENDINGS.items() if name.endswith(ending)), "count")
    return Measure(
        name=name, kind=_KINDS.get(unit, Kind.POSITIVE), unit=unit, meaning="A swept value."
    )

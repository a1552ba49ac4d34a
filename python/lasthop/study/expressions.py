"""Expressions over results: ``delivery_ratio >= 99 % where path.loss <= 10 %``."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError
from lasthop.study.energy import ENERGY_CAUSES
from lasthop.study.faults import Fault, show, suggestion
from lasthop.study.keys import column_name, known_keys, sweepable_keys
from lasthop.study.quantity import DECIBEL, ENERGY, FRACTION, RATE, SIZE, TIME, Kind, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COUNT = "count"
TEXT = "text"

_LATENCIES = ("mean", "p50", "p95", "p99", "max")

MEASURED: dict[str, tuple[str, Kind | str]] = {
    **{f"latency_{name}": (f"latency_{name}_ms", TIME) for name in _LATENCIES},
    "simulated": ("simulated_s", TIME),
    "delivery_ratio": ("delivery_ratio", FRACTION),
    **{
        f"messages_{fate}": (f"messages_{fate}", COUNT)
        for fate in ("offered", "delivered", "duplicated", "failed", "unfinished")
    },
    **{
        f"{what}_{way}_{fate}": (f"{what}_{way}_{fate}", SIZE if what == "wire_bytes" else COUNT)
        for what in ("wire_bytes", "packets")
        for way in ("up", "down")
        for fate in ("offered", "delivered")
    },
    "availability_20s": ("availability_20s", FRACTION),
    "device_throughput": ("device_throughput_bit_s", RATE),
    "cell_throughput": ("cell_throughput_bit_s", RATE),
    "lowest_path_gain_served": ("lowest_path_gain_served_db", DECIBEL),
    **{
        name: (name, COUNT)
        for name in (
            "random_access_preambles",
            "random_access_collisions",
            "random_access_failures",
            "early_data",
            "early_data_fallbacks",
            "radio_link_failures",
            "rlc_retransmissions",
        )
    },
    **{
        f"{what}_ratio": (f"{what}_ratio", FRACTION)
        for what in (
            "harq_retransmission_up",
            "harq_retransmission_down",
            "occupancy_npdcch",
            "occupancy_npdsch",
            "occupancy_npusch",
            "occupancy_nprach",
        )
    },
    "payload_bytes_first_sent": ("payload_bytes_first_sent", SIZE),
    "control_bytes_per_100": ("control_bytes_per_100", COUNT),
    "control_bytes_per_100_ethernet": ("control_bytes_per_100_ethernet", COUNT),
    "retransmissions_application": ("retransmissions_application", COUNT),
    "retransmissions_transport": ("retransmissions_transport", COUNT),
    **{
        f"energy{what}": (f"energy{what}_j", ENERGY)
        for what in ("", "_per_message", *(f"_{cause}" for cause in ENERGY_CAUSES))
    },
    "battery_years": ("battery_years", COUNT),
}
"""The measured columns: their name in expressions, in the tables, and what they hold."""

DESCRIBING = ("study", "part", "stack", "stack_resolved", "engine", "status", "reason")
"""Columns of text."""

_COUNTING = ("repetition", "seed")
_NAME = r"[A-Za-z_][A-Za-z0-9_.]*"
_COMPARISON = re.compile(
    rf"\s*(?P<column>{_NAME})\s*(?P<operator><=|>=|==|!=|<|>)\s*"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^'\"<>=!]+?)\s*"
)
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_EXAMPLE = 'write as "delivery_ratio >= 99 %"'
_MAXIMUM_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Comparison:
    """One column against one value.

    Parameters
    ----------
    column
        The name as written, say ``latency_p95`` or ``path.loss``.
    columns
        The names it may have in a table.
    value
        In the unit of the table's column.
    """

    column: str
    columns: tuple[str, ...]
    operator: str
    value: float | str
    infinite_when_null: bool

    def holds(self, row: Mapping[str, object]) -> bool:
        """Whether the comparison is true of a row; a null latency is infinite."""
        name = next((name for name in self.columns if name in row), None)
        if name is None:
            raise UsageError(f'the results have no column "{self.column}"')
        cell = row[name]
        if cell is None:
            if not self.infinite_when_null:
                return False
            cell = math.inf
        if isinstance(cell, str) != isinstance(self.value, str):
            return False
        return _OPERATORS[self.operator](cell, self.value)


@dataclass(frozen=True, slots=True)
class Expression:
    """A comparison, and the rows to which it applies."""

    text: str
    comparison: Comparison
    where: tuple[Comparison, ...]

    def evaluate(self, row: Mapping[str, object]) -> bool | None:
        """Whether the expression is true of a row, None if it does not apply.

        Examples
        --------
        >>> late = parse_expression("latency_p95 < 2 s where stack == 'raw_udp'")
        >>> late.evaluate({"latency_p95_ms": 250.0, "stack": "raw_udp"})
        True
        >>> late.evaluate({"latency_p95_ms": None, "stack": "raw_udp"})
        False
        >>> late.evaluate({"latency_p95_ms": None, "stack": "json_udp"}) is None
        True
        """
        if not all(condition.holds(row) for condition in self.where):
            return None
        return self.comparison.holds(row)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons, the claimed one first."""
        return (self.comparison, *self.where)


def parse_expression(text: str) -> Expression:
    """Read ``column OP value [where column OP value [and ...]]``.

    Raises
    ------
    Fault
        If it is not such an expression, or names an unknown column.
    """
    if len(text) > _MAXIMUM_CHARACTERS:
        raise Fault("the expression is too long", hint=f"write at most {_MAXIMUM_CHARACTERS}")
    claim, *conditions = _split_words(text, "where")
    if len(conditions) > 1:
        raise Fault(f'{show(text)} has "where" twice', hint='join conditions by "and"')
    where = _split_words(conditions[0], "and") if conditions else []
    return Expression(
        text=text,
        comparison=_comparison(claim),
        where=tuple(_comparison(condition) for condition in where),
    )


def measured_column(name: str) -> str:
    """Give the table's name of a measured column, as ``latency_p50_ms``.

    Raises
    ------
    Fault
        If there is no such column.
    """
    if name not in MEASURED:
        raise _unknown_column(name, list(MEASURED))
    return MEASURED[name][0]


def _split_words(text: str, word: str) -> list[str]:
    pattern = rf"'[^']*'|\"[^\"]*\"|\b{word}\b"
    pieces, start = [], 0
    for found in re.finditer(pattern, text):
        if found.group() == word:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]


def _comparison(text: str) -> Comparison:
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise Fault(f"{show(text.strip())} is not a comparison", hint=_EXAMPLE)
    column, written = found["column"], found["value"]
    columns, kind = _column(column)
    value = _value(column, written, kind)
    if isinstance(value, str) and found["operator"] not in ("==", "!="):
        raise Fault(f"{show(text.strip())} orders text", hint='write "==" or "!="')
    return Comparison(
        column=column,
        columns=columns,
        operator=found["operator"],
        value=value,
        infinite_when_null=column.startswith("latency_"),
    )


def _column(name: str) -> tuple[tuple[str, ...], Kind | str]:
    if name in MEASURED:
        column, kind = MEASURED[name]
        return (column,), kind
    if name in DESCRIBING:
        return (name,), TEXT
    if name in _COUNTING:
        return (name,), COUNT
    if name not in sweepable_keys():
        raise _unknown_column(name, [*MEASURED, *DESCRIBING, *_COUNTING])
    swept = sweepable_keys()[name].kind
    if isinstance(swept, Kind):
        return _columns(name, swept.column_unit), swept
    if swept == "queue":
        return _columns(name, "bytes", "packets"), SIZE
    return _columns(name), COUNT if swept in {"count", "number"} else TEXT


def _columns(key: str, *units: str) -> tuple[str, ...]:
    return tuple(column_name(key, unit) for unit in (*units, "text"))


def _unknown_column(name: str, known: list[str]) -> Fault:
    for full, (column, _) in MEASURED.items():
        if name == column:
            return Fault(f"unknown column {show(name)}", hint=f'write "{full}" and a unit')
    keys = [key for key in known_keys() if "." in key]
    near = suggestion(name, [*known, *keys], kind="columns")
    if near.startswith("known"):
        near = f"known columns: {', '.join(known)}, and swept keys"
    return Fault(f"unknown column {show(name)}", hint=near)


def _value(column: str, written: str, kind: Kind | str) -> float | str:
    quoted = written[0] in "'\""
    if quoted:
        if kind == TEXT or column in sweepable_keys():
            return written[1:-1]
        raise Fault(f"{column} is a number, not text", hint="remove the quotes")
    if kind == TEXT:
        if column in sweepable_keys():
            return written
        raise Fault(f"{column} is text", hint=f"""write "{column} == '{written}'" """.strip())
    if isinstance(kind, str) or (kind in (FRACTION, SIZE) and _is_number(written)):
        if not _is_number(written):
            raise Fault(f"{show(written)} is not a number", hint=f'write "{column} >= 10"')
        if kind == FRACTION and float(written) > 1:
            raise Fault(f"{column} is a share, at most 1", hint=f'write "{written} %"')
        return float(written)
    amount = parse(written, kind)
    if column == "simulated":
        return float(amount / Decimal(10**9))
    return float(amount / kind.column_factor)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?", text) is not None

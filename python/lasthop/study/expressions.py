"""Expressions on results, such as ``delivery_ratio >= 99 % where path.loss <= 10 %``."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError
from lasthop.measures import COLUMNS, Measure
from lasthop.measures import Kind as MeasureKind
from lasthop.measures.groups import MEASURED_BY_GROUP, PLACE
from lasthop.study.fields.quantity import FRACTION, SIZE, Kind, kind_of_unit, parse
from lasthop.study.forms.keys import column_name, sweepable_keys
from lasthop.study.text.faults import Fault, nearest, nearest_three, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

COUNT = "count"
TEXT = "text"

COMPARABLE = {
    column.short_name: column for column in COLUMNS if column.kind is not MeasureKind.RECORD
}
"""Columns that expressions can use, by name."""

_MEASURED = {name: column for name, column in COMPARABLE.items() if column.is_measured}

_NAME = r"[A-Za-z_][A-Za-z0-9_.]*"
_COMPARISON = re.compile(
    rf"\s*(?P<column>{_NAME})\s*(?P<operator><=|>=|==|!=|<|>)\s*"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^'\"<>=!]+?)\s*"
)
_MONEY = re.compile(r"(?P<amount>\+?[0-9]{1,18}(\.[0-9]{1,18})?)\s*(?P<currency>[A-Z]{3})?")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
# Names that other tools and papers use for a column.
_OTHER_NAMES = {
    "availability": "delivery_ratio",
    "battery": "battery_years",
    "bill": "cost_per_year",
    "bytes": "wire_bytes_per_message",
    "cost": "cost_per_year",
    "delay": "latency_p95",
    "delivered": "delivery_ratio",
    "joules": "energy",
    "latency": "latency_p95",
    "lifetime": "battery_years",
    "loss": "delivery_ratio",
    "pdr": "delivery_ratio",
    "power": "energy",
    "response": "response_mean",
    "retransmissions": "retransmissions_transport",
    "round_trip": "latency_p95",
    "rtt": "latency_p95",
    "throughput": "wire_rate",
    "traffic": "wire_bytes_per_message",
}

_EXAMPLE = 'write for example "delivery_ratio >= 99 %"'
_MAXIMUM_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of a column with a value.

    Parameters
    ----------
    column
        The name as written, say ``latency_p95`` or ``path.loss``.
    columns
        Possible column names.
    value
        Value in the unit of the table's column.
    written
        The value as written, with its unit.
    """

    column: str
    columns: tuple[str, ...]
    operator: str
    value: float | str
    written: str
    infinite_when_null: bool

    def holds(self, row: Mapping[str, object]) -> bool:
        """Return whether the comparison is true for a row. A null latency is infinite."""
        name = next((name for name in self.columns if name in row), None)
        if name is None:
            raise UsageError(f'the results have no column "{self.column}"')
        cell = row[name]
        if cell is None:
            if not self.infinite_when_null:
                return False
            cell = math.inf
        return self.admits(cell)

    def admits(self, cell: object) -> bool:
        """Return whether the comparison is true for a value. Text never equals a number."""
        if isinstance(cell, str) != isinstance(self.value, str):
            return False
        return _OPERATORS[self.operator](cell, self.value)


@dataclass(frozen=True, slots=True)
class Expression:
    """A comparison with optional conditions on its rows."""

    text: str
    comparison: Comparison
    where: tuple[Comparison, ...]

    def evaluate(self, row: Mapping[str, object]) -> bool | None:
        """Return whether the expression is true for a row; None if it does not apply.

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
    def currencies(self) -> Sequence[str]:
        """Return the currencies of the money amounts in the expression."""
        found = (_MONEY.fullmatch(one.written) for one in self.comparisons)
        return [one["currency"] for one in found if one is not None and one["currency"]]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Return all comparisons, the main one first."""
        return (self.comparison, *self.where)

    @property
    def is_by_group(self) -> bool:
        """Return whether the expression applies to groups, strata or flows instead of runs."""
        return any(condition.column in PLACE for condition in self.where)


def parse_expression(text: str) -> Expression:
    """Parse ``column OP value [where column OP value [and ...]]``.

    Raises
    ------
    Fault
        If it is not such an expression, or names an unknown column.
    """
    if len(text) > _MAXIMUM_CHARACTERS:
        raise Fault(
            "the expression is too long", hint=f"write at most {_MAXIMUM_CHARACTERS} characters"
        )
    claim, *conditions = _split_words(text, "where")
    if len(conditions) > 1:
        raise Fault(
            f'{show(text)} has "where" twice',
            hint='write "where" once, and join the conditions by "and"',
        )
    where = _split_words(conditions[0], "and") if conditions else []
    expression = Expression(
        text=text,
        comparison=_comparison(claim),
        where=tuple(_comparison(condition) for condition in where),
    )
    _check_places(expression)
    return expression


def measured_column(name: str) -> str:
    """Return the full name of a measured column, such as ``latency_p50_ms``.

    Raises
    ------
    Fault
        If there is no such column.
    """
    if name in _MEASURED:
        return _MEASURED[name].name
    first = name.split(maxsplit=1)[0] if name.strip() else name
    if first != name and first in _MEASURED:
        raise Fault(
            f"{show(name)} contains more than the name of a column",
            hint=f'write "{first}" alone; the answer also shows each group, and '
            "conditions can be used in require and expect",
        )
    raise _unknown_column(name, list(_MEASURED))


def quantity_of(column: Measure) -> Kind | str:
    """Return the kind of a column's values: a quantity with a unit, ``count`` or ``text``."""
    if column.arrow_type == "string":
        return TEXT
    plain = column.per or column.unit == "count"
    return COUNT if plain else kind_of_unit(column.unit) or COUNT


def _check_places(expression: Expression) -> None:
    """Check that the compared columns exist for groups, strata or flows."""
    for comparison in expression.comparisons if expression.is_by_group else ():
        known = COMPARABLE.get(comparison.column)
        if known is not None and known.is_measured and not _is_by_group(known):
            names = sorted(named for named, one in _MEASURED.items() if _is_by_group(one))
            raise Fault(
                f"{comparison.column} is measured only for whole runs, not for groups",
                hint=f"remove the condition on the group, or use one of {', '.join(names)}",
            )


def _is_by_group(column: Measure) -> bool:
    return column.name in MEASURED_BY_GROUP


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
    known = _column(column)
    value = _value(column, written, known)
    if isinstance(value, str) and found["operator"] not in ("==", "!="):
        raise Fault(f"{show(text.strip())} compares text by size", hint='write "==" or "!="')
    return Comparison(
        column=column,
        columns=known.columns,
        operator=found["operator"],
        value=value,
        written=written,
        infinite_when_null=known.infinite_when_null,
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """A known name of an expression: its possible columns, kind and unit."""

    columns: tuple[str, ...]
    kind: Kind | str
    unit: str = ""
    infinite_when_null: bool = False


def _column(name: str) -> _Known:
    if name in PLACE:
        return _Known((name,), TEXT)
    found = COMPARABLE.get(name)
    if found is not None:
        return _Known((found.name,), quantity_of(found), found.unit, found.is_infinite_when_missing)
    if name not in sweepable_keys():
        keys = [key for key in sweepable_keys().like(name) if _resembles(name, key)]
        raise _unknown_column(name, [*COMPARABLE, *keys])
    swept = sweepable_keys()[name].kind
    if isinstance(swept, Kind):
        return _Known(_columns(name, swept.column_unit), swept, swept.column_unit)
    if swept == "queue":
        return _Known(_columns(name, "bytes", "packets"), SIZE, SIZE.column_unit)
    return _Known(_columns(name), COUNT if swept in {"count", "number"} else TEXT)


def _columns(key: str, *units: str) -> tuple[str, ...]:
    return tuple(column_name(key, unit) for unit in (*units, "text"))


def _resembles(name: str, key: str) -> bool:
    """Return whether a name resembles a dotted key or its last part."""
    return nearest(name, [key, key.rpartition(".")[2]]) is not None


def _unknown_column(name: str, known: list[str]) -> Fault:
    for full, column in COMPARABLE.items():
        if name == column.name:
            return Fault(
                f"the column {show(name)} is written without its unit here",
                hint=f'write "{full}", and the unit behind the value',
            )
    return unknown_column(name, known)


def unknown_column(name: str, known: Sequence[str]) -> Fault:
    """Return the error on an unknown column, with up to three suggestions.

    Examples
    --------
    >>> unknown_column("latency_p100", ["latency_p50", "latency_max", "energy"]).hint
    'did you mean latency_max, latency_p50 or energy? "lasthop columns" lists all columns'
    """
    meant = [_OTHER_NAMES[name]] if _OTHER_NAMES.get(name) in known else []
    if name.endswith("_p100"):
        meant += [word for word in known if word == name.replace("_p100", "_max")]
    likely = list(dict.fromkeys([*meant, *nearest_three(name, known)]))[:3]
    words = " or ".join(filter(None, (", ".join(likely[:-1]), *likely[-1:])))
    hint = f'did you mean {words}? "lasthop columns" lists all columns'
    return Fault(f"unknown column {show(name)}", hint=hint)


def _value(column: str, written: str, known: _Known) -> float | str:
    kind = known.kind
    quoted = written[0] in "'\""
    if quoted:
        if kind == TEXT or column in sweepable_keys():
            return written[1:-1]
        raise Fault(f"{column} is a number, not text", hint="remove the quotes")
    if kind == TEXT:
        if column in sweepable_keys():
            return written
        raise Fault(f"{column} is text", hint=f"""write "{column} == '{written}'" """.strip())
    if known.unit == "money" and (found := _MONEY.fullmatch(written)) is not None:
        return float(found["amount"])
    if isinstance(kind, str) or (kind in (FRACTION, SIZE) and _is_number(written)):
        if not _is_number(written):
            raise Fault(f"{show(written)} is not a number", hint=f'write "{column} >= 10"')
        if kind == FRACTION and float(written) > 1:
            raise Fault(f"{column} is a share and cannot be above 1", hint=f'write "{written} %"')
        return float(written)
    amount = parse(written, kind)
    return float(amount / kind.units.get(known.unit, Decimal(kind.column_factor)))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?", text) is not None

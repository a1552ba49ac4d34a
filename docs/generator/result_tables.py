"""The columns of every result table, and their names in expressions."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.measures import COLUMNS, FleetNeed, Measure
from lasthop.results.meaning import TABLES, meaning
from lasthop.study.expressions import COMPARABLE, quantity_of
from lasthop.study.fields.quantity import Kind

_TYPES = {
    "string": "text",
    "bool": "true or false",
    "int32": "whole number",
    "int64": "whole number",
    "float64": "number",
}


def tables() -> str:
    """Write a section for each table, with a row for each column."""
    return "\n\n".join(_section(name) for name in TABLES)


def _section(name: str) -> str:
    row, columns = TABLES[name]
    rows = [
        [
            code(column.name),
            column.unit or "",
            _TYPES[column.kind],
            meaning(name, column.name),
        ]
        for column in columns
    ]
    heading = f"(table-{name})=\n## {code(f'{name}.parquet')}"
    return f"{heading}\n\n{row}\n\n{table(['column', 'unit', 'type', 'meaning'], rows)}"


def fleet_rules() -> str:
    """Write a row for each measure: its rule, its numerator and its denominator."""
    rows = [
        [
            code(column.name),
            column.fleet.value,
            _needed(column),
            column.ratio.numerator if column.ratio else "",
            column.ratio.denominator if column.ratio else "",
        ]
        for column in COLUMNS
        if column.is_measured
    ]
    heads = ["measure", "over strata and groups", "needs", "numerator", "denominator"]
    return table(heads, rows)


def _needed(column: Measure) -> str:
    return "" if column.fleet_needs is FleetNeed.NOTHING else column.fleet_needs.value


def measured_names() -> str:
    """Write a row for each measure that an expression may name."""
    rows = [
        [
            code(name),
            code(column.name),
            code(f"{name} <= {_example(quantity_of(column))}"),
            column.direction.value,
        ]
        for name, column in COMPARABLE.items()
        if column.is_measured
    ]
    return table(["in expressions", "column", "example", "better"], rows)


def _example(kind: Kind | str) -> str:
    return f"10 {kind.usual}" if isinstance(kind, Kind) else "10"

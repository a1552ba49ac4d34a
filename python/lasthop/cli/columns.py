"""`lasthop columns`: the columns that a study may name."""

# ruff: noqa: PLC0415  (imported when needed: help must not wait for the study)

from typing import Any

from lasthop.cli import options
from lasthop.cli.output import say, say_json, show

NAME = "columns"
EXAMPLE = "Example: lasthop columns --json"


def command(*, as_json: options.Json = False) -> None:
    """List the columns that decide, require, expect and claims can name, with their units."""
    columns = _columns()
    if as_json:
        say_json({"columns": columns})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("column", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("meaning")
    for column in columns:
        meaning = column["meaning"] + (" Only in claims." if column["only_in_claims"] else "")
        table.add_row(column["name"], Text(column["unit"]), Text(meaning))
    show(table)
    say("\nExpressions can also name the keys that the study sweeps, for example path.loss.")


def _columns() -> list[dict[str, Any]]:
    from lasthop.measures import DERIVED
    from lasthop.study.expressions import COMPARABLE

    return [
        {
            "name": column.short_name,
            "unit": column.unit,
            "meaning": column.meaning,
            "only_in_claims": only_in_claims,
        }
        for only_in_claims, some in ((False, COMPARABLE.values()), (True, DERIVED))
        for column in some
    ]

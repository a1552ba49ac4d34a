"""Points of a part: the conditions under which the stacks are compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import polars as pl

from lasthop.answer.quantities import format_quantity
from lasthop.study.forms.keys import key_words
from lasthop.study.run_spec import RunSpecReader, canonical_json

_POINT = "__point"
_ROW = "__row"
_UNITS = {"bytes": "B", "text": "", "number": ""}


@dataclass(frozen=True, slots=True)
class Swept:
    """A parameter that a part sweeps.

    Parameters
    ----------
    key : str
        As in the study: ``path.loss``.
    column : str
        As in ``runs.parquet``: ``path_loss``.
    unit : str
        Of the column's values.
    names : mapping
        What the part calls some of its values, by value.
    """

    key: str
    column: str
    unit: str
    names: Mapping[Any, str] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "Swept":
        """Read it from the study in a manifest."""
        unit = entry.get("unit") or ""
        return cls(
            key=entry["key"],
            column=entry["column"],
            unit=_UNITS.get(unit, unit),
            names={value["value"]: value["name"] for value in entry.get("names") or ()},
        )

    @property
    def label(self) -> str:
        """The name of the point for a reader.

        Examples
        --------
        >>> Swept("path.delay.around", "path_delay_around_ms", "ms").label
        'path delay around'
        >>> Swept("path.nbiot.coupling_loss", "path_nbiot_coupling_loss_db", "dB").label
        'coupling loss'
        """
        return key_words(self.key)

    def text_of(self, value: object) -> str:
        """Write a value with its name. A number follows its name.

        Examples
        --------
        >>> said = Swept("duration", "duration_ms", "ms", {1000.0: "short"}).text_of(1000.0)
        >>> said.replace("\N{NO-BREAK SPACE}", " ")
        'short (1 s)'
        """
        name = self.names.get(value)
        if isinstance(value, int | float):
            amount = format_quantity(value, self.unit)
            return f"{name} ({amount})" if name else amount
        return name or str(value)


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a part, with its rows of ``runs``.

    Parameters
    ----------
    values : tuple
        Of the parameters that vary, in their order; None where a value is no scalar.
    named : tuple of (str, str)
        The same in words: ``("path loss", "10 %")``.
    label : str
        All of them in words; empty when the part has one point only.
    runs : polars.DataFrame
        Those of all points of the part, point after point.
    first, count : int
        Which of them lie here.
    """

    values: tuple[Any, ...]
    named: tuple[tuple[str, str], ...]
    label: str
    runs: pl.DataFrame
    first: int
    count: int

    @property
    def rows(self) -> pl.DataFrame:
        """Every run at this point, of every stack: a view, so that many points take little."""
        return self.runs.slice(self.first, self.count)


def part_named(study: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
    """Return the part with this name, or the first."""
    parts = parts_of(study)
    return next((part for part in parts if part["name"] == name), parts[0])


def parts_of(study: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the parts of a study. A study without a sweep has one."""
    parts: Sequence[Mapping[str, Any]] = study.get("parts") or [{"name": "base", "swept": []}]
    return parts


def varied(runs: pl.DataFrame, part: Mapping[str, Any]) -> list[Swept]:
    """Return the parameters of a part that take more than one value in its runs."""
    rows = runs.filter(pl.col("part") == part["name"])
    parameters = map(Swept.of, part.get("swept", ()))
    return [
        parameter
        for parameter in parameters
        if parameter.column in runs.columns and rows[parameter.column].n_unique() > 1
    ]


def points_of(runs: pl.DataFrame, part: Mapping[str, Any]) -> tuple[Point, ...]:
    """Divide the runs of ``part`` into its points, in ascending order of the swept numbers."""
    rows = runs.filter(pl.col("part") == part["name"])
    if rows.is_empty():
        return ()
    swept = varied(runs, part)
    columns = [parameter.column for parameter in swept]
    keys = columns
    if _needs_conditions(rows, columns):
        keys, rows = [*columns, _POINT], _with_conditions(rows)
    if not keys:
        return (Point((), (), "", rows, 0, rows.height),)
    groups = dict(_places(rows, keys))
    ordered = _in_order(list(groups), len(columns))
    places = pl.concat(groups[key] for key in ordered)
    together = rows.drop(_POINT, strict=False)
    if not places.is_sorted():  # in a study's own order they mostly are, and nothing is copied
        together = together[places]
    ends = list(accumulate(len(groups[key]) for key in ordered))
    return tuple(
        Point(
            values=key[: len(columns)],
            named=_named(swept, key, number),
            label=_label(_named(swept, key, number)) if len(ordered) > 1 else "",
            runs=together,
            first=end - len(groups[key]),
            count=len(groups[key]),
        )
        for number, (key, end) in enumerate(zip(ordered, ends, strict=True), start=1)
    )


def spread_over(points: Sequence[Point], most: int) -> list[Point]:
    """Choose at most ``most`` points, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    last = len(points) - 1
    places = sorted({round(step * last / (most - 1)) for step in range(most)})
    return [points[place] for place in places]


def _places(rows: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], pl.Series]]:
    """Give the values of the keys at each point, and where its rows are."""
    groups = rows.select(keys).with_row_index(_ROW).group_by(keys, maintain_order=True).agg(_ROW)
    places = groups[_ROW]
    for number, key in enumerate(groups.drop(_ROW).iter_rows()):
        yield key, places[number]


def _needs_conditions(rows: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Tell whether values that are no scalars keep points apart that the columns cannot."""
    return any(rows[column].has_nulls() for column in columns)


def _with_conditions(rows: pl.DataFrame) -> pl.DataFrame:
    """Add what two runs at one point have in common: their run spec but for stacks and seed."""
    specs = rows["run_spec"].to_list() if "run_spec" in rows.columns else [None] * rows.height
    return rows.with_columns(pl.Series(_POINT, [_conditions(spec) for spec in specs], pl.String))


def _conditions(run_spec: str | None) -> str:
    if not run_spec:
        return ""
    return canonical_json(RunSpecReader.of(run_spec).conditions)


def _in_order(keys: Sequence[tuple[Any, ...]], swept: int) -> list[tuple[Any, ...]]:
    """Sort points by their values; values that are no numbers keep the order of the runs."""
    orders: list[dict[Any, float]] = []
    for place in range(swept):
        values = list(dict.fromkeys(key[place] for key in keys))
        numeric = all(isinstance(value, int | float) for value in values)
        orders.append({value: value if numeric else at for at, value in enumerate(values)})
    return sorted(keys, key=lambda key: [order[key[at]] for at, order in enumerate(orders)])


def _named(
    swept: Sequence[Swept], key: tuple[Any, ...], number: int
) -> tuple[tuple[str, str], ...]:
    """Name each value; one that is no scalar gets the number of the point."""
    return tuple(
        (parameter.label, parameter.text_of(value) if value is not None else f"#{number}")
        for parameter, value in zip(swept, key, strict=False)
    )


def _label(named: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {value}" for name, value in named)

"""Places: a part and a point of it, named so that two result folders can be laid side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from lasthop.answer.points import Swept, parts_of, points_of


@dataclass(frozen=True, slots=True)
class Place:
    """A point of a part.

    Parameters
    ----------
    part : str
        Its name.
    values : tuple of (str, str)
        Every swept key with its value in words: ``("path.loss", "good (10 %)")``.
    unnamed : tuple of (str, str)
        The same without the names that the study gives them: ``("path.loss", "10 %")``.
    """

    part: str
    values: tuple[tuple[str, str], ...]
    unnamed: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def label(self) -> str:
        """The part and the values.

        Examples
        --------
        >>> Place("loss", (("path.loss", "10 %"),)).label
        'loss: path.loss 10 %'
        """
        values = ", ".join(" ".join(pair) for pair in self.values)
        return f"{self.part}: {values}" if values else self.part


def places(runs: pl.DataFrame, study: Mapping[str, Any]) -> dict[Place, pl.DataFrame]:
    """Divide runs into places, in the order of the study. A place has one row for each run."""
    found: dict[Place, pl.DataFrame] = {}
    for part in parts_of(study):
        swept = [
            (Swept.of(entry), _written(entry))
            for entry in part["swept"]
            if entry["column"] in runs.columns
        ]
        for number, point in enumerate(points_of(runs, part), start=1):
            first = point.rows.row(0, named=True)
            values = tuple((entry.key, _text(entry, first, number)) for entry, _ in swept)
            unnamed = tuple(
                (entry.key, _unnamed(entry, written, first, number)) for entry, written in swept
            )
            found[Place(part["name"], values, unnamed)] = point.rows
    return found


def _text(swept: Swept, row: Mapping[str, Any], number: int) -> str:
    value = row[swept.column]
    # What is no scalar has no value in the table; the number of the point stands for it.
    return f"#{number}" if value is None else swept.text_of(value)


def _written(entry: Mapping[str, Any]) -> Mapping[Any, str]:
    """Give what is written in the study, by the value that stands for it in the column."""
    return {value["value"]: value["written"] for value in entry.get("names") or ()}


def _unnamed(swept: Swept, written: Mapping[Any, str], row: Mapping[str, Any], number: int) -> str:
    value = row[swept.column]
    if isinstance(value, str):
        return written.get(value, value)
    return _text(replace(swept, names={}), row, number).replace("\N{NO-BREAK SPACE}", " ")

"""The compared columns, and the better direction of each."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lasthop.measures import COLUMNS, Direction, Kind, Measure, column_of, resolve_column


@dataclass(frozen=True, slots=True)
class Watched:
    """A column, its good direction, and which change of it matters.

    Parameters
    ----------
    column : Measure
        As in ``runs.parquet``.
    more_is_better : bool
        Whether an increase is an improvement.
    smallest_effect : float
        A smaller change does not matter: a fraction, of a share in points.
    """

    column: Measure
    more_is_better: bool
    smallest_effect: float

    @property
    def worst(self) -> float:
        """The value that replaces an empty cell."""
        return -math.inf if self.more_is_better else math.inf


def watched(
    study: Mapping[str, Any], columns: Sequence[str], *, smallest_effect: float | None = None
) -> tuple[Watched, ...]:
    """Return the aim of the study, then delivery, latencies and bytes.

    Parameters
    ----------
    study : mapping
        As the manifest holds it; its aim is what it decides by.
    columns : sequence of str
        Those that both tables have.
    smallest_effect : float or None
        Of every column. Without it the study's is that of its aim and of columns of the same
        kind, and the others have the usual one.

    Examples
    --------
    >>> study = {"decide": {"maximise": "messages_delivered"}}
    >>> [found.column.name for found in watched(study, ["messages_delivered", "delivery_ratio"])]
    ['messages_delivered', 'delivery_ratio']
    """
    asked: Mapping[str, Any] = study.get("decide") or {}
    written = asked.get("maximise") or asked.get("minimise")
    name = resolve_column(written, columns) if written else None
    aim = None if name is None else column_of(name)

    def effect_of(column: Measure) -> float:
        of_study = asked.get("smallest_effect")
        if smallest_effect is None and of_study is not None and aim is not None:
            alike = (aim.kind is Kind.SHARE) is (column.kind is Kind.SHARE)
            return float(of_study) if alike else column.usual_effect
        return column.usual_effect if smallest_effect is None else smallest_effect

    first = () if aim is None else (Watched(aim, bool(asked.get("maximise")), effect_of(aim)),)
    others = (
        Watched(column, column.direction is Direction.MORE, effect_of(column))
        for column in COLUMNS
        if column.is_watched and column.name != name and column.name in columns
    )
    return (*first, *others)

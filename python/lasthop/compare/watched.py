"""What is compared: the measured columns, and whether more of each is better."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lasthop.measures import COLUMNS, Direction, Measure, column_of, resolve_column


@dataclass(frozen=True, slots=True)
class Watched:
    """A column and its good direction.

    Parameters
    ----------
    column : Measure
        As in ``runs.parquet``.
    more_is_better : bool
        Whether an increase is an improvement.
    """

    column: Measure
    more_is_better: bool

    @property
    def worst(self) -> float:
        """What an empty cell counts as."""
        return -math.inf if self.more_is_better else math.inf


def watched(study: Mapping[str, Any], columns: Sequence[str]) -> tuple[Watched, ...]:
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
    >>> [found.column.name for found in watched(study, ["messages_delivered", "delivery_ratio"])]
    ['messages_delivered', 'delivery_ratio']
    """
    asked: Mapping[str, Any] = study.get("decide") or {}
    aim = asked.get("maximise") or asked.get("minimise")
    name = resolve_column(aim, columns) if aim else None
    first = () if name is None else (Watched(column_of(name), bool(asked.get("maximise"))),)
    others = (
        Watched(column, column.direction is Direction.MORE)
        for column in COLUMNS
        if column.is_watched and column.name != name and column.name in columns
    )
    return (*first, *others)

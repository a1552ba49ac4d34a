"""Enumerates the universes of a claim with the runs of each."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import polars as pl

from lasthop.measures import COLUMNS
from lasthop.multiverse.choices import Condition, label
from lasthop.multiverse.counting import READ, count

_NOT_NEEDED = frozenset(
    {
        "run_id",
        "repetition",
        "run_spec",
        *READ,
        *(column.name for column in COLUMNS if column.is_measured),
    }
)
"""Columns that are dropped from runs to save memory, unless the claim reads them."""


@dataclass(frozen=True, slots=True)
class Universes:
    """All combinations of choices that apply to a claim.

    Parameters
    ----------
    arms
        The alternatives, each with its values of the stack choices.
    stands_for
        Stack of the varied study that the arms are judged as.
    conditions
        Conditions of the claim's parts.
    counting
        Counting methods that can change the claim.
    read
        The measured columns that the claim is about.
    """

    arms: Mapping[str, Mapping[str, str]]
    stands_for: str
    conditions: Sequence[Condition]
    counting: Mapping[str, Sequence[str]]
    read: AbstractSet[str]

    def __len__(self) -> int:
        """Return the number of universes."""
        conditions = {each.choice.name: each.choice.values for each in self.conditions}
        values = (*conditions.values(), *self.counting.values())
        return len(self.arms) * math.prod(map(len, values))

    def of(self, runs: pl.DataFrame) -> Iterator[tuple[Mapping[str, str], pl.DataFrame]]:
        """Yield the chosen values and the runs of each universe.

        The arms vary slowest, then the conditions, then the ways to count.
        """
        counted = [(ways, self._cells(count(runs, ways))) for ways in _combined(self.counting)]
        conditions = {each.choice.name: each.choice.values for each in self.conditions}
        for arm, options in self.arms.items():
            for chosen in _combined(conditions):
                for ways, cells in counted:
                    yield {**options, **chosen, **ways}, cells.of(arm, chosen)

    def _cells(self, runs: pl.DataFrame) -> "_Cells":
        rows = runs.drop(_NOT_NEEDED - self.read, strict=False)
        alternative = pl.col("stack").is_in(list(self.arms))
        by_part = {}
        for part in rows["part"].unique(maintain_order=True):
            here = rows.filter(pl.col("part") == part)
            swept = [each.swept for each in self.conditions if each.part == part]
            labels = {
                each.column: [label(each, value) for value in here[each.column].to_list()]
                for each in swept
            }
            keyed = here.with_columns(
                pl.when(alternative).then("stack").alias(_ARM),
                pl.when(alternative)
                .then(pl.lit(self.stands_for))
                .otherwise("stack")
                .alias("stack"),
                *(pl.Series(_choice(name), values) for name, values in labels.items()),
            )
            keys = [_ARM, *(_choice(name) for name in labels)]
            groups = keyed.partition_by(keys, as_dict=True, include_key=False)
            by_part[part] = ([each.key for each in swept], groups)
        return _Cells(by_part, rows.clear())


_ARM = "__arm"


def _choice(column: str) -> str:
    return f"__choice_{column}"


@dataclass(frozen=True, slots=True)
class _Cells:
    """The runs grouped by part, arm and conditions. Stacks outside the choices have no arm."""

    by_part: Mapping[str, tuple[Sequence[str], Mapping[tuple[object, ...], pl.DataFrame]]]
    nothing: pl.DataFrame

    def of(self, arm: str, chosen: Mapping[str, str]) -> pl.DataFrame:
        """Return the runs of an arm, and those that all universes share."""
        found = [
            group
            for keys, groups in self.by_part.values()
            for name in (arm, None)
            if (group := groups.get((name, *(chosen[key] for key in keys)))) is not None
        ]
        return pl.concat(found) if found else self.nothing


def _combined(choices: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values, strict=True))

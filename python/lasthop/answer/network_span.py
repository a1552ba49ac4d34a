"""The range of the battery life over networks with different response times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_NETWORK = "network"
_SETTINGS = ("path", "traffic", "fleet")
_YEARS = "battery_years"
_TOLD_BY_STACK = 4


def network_span(folders: Iterable[Path]) -> Iterator[str]:
    """Describe the battery life of each stack in each swept network preset.

    Of several points of a sweep, that is said whose years lie farthest apart.
    """
    tables = [table for folder in folders if (table := _years(folder)) is not None]
    if not tables:
        return
    years = pl.concat(tables, how="diagonal_relaxed")
    others = [name for name in years.columns if name not in {_NETWORK, _YEARS}]
    means = years.group_by([*others, _NETWORK], maintain_order=True).agg(pl.col(_YEARS).mean())
    apart = pl.col(_YEARS).max() / pl.col(_YEARS).min()
    spans = (
        means.group_by(others, maintain_order=True)
        .agg(pl.col(_NETWORK), pl.col(_YEARS), apart=apart)
        .filter(pl.col(_NETWORK).list.len() > 1)
        .group_by("stack", maintain_order=True)
        .agg(pl.all().sort_by("apart").last())
    )
    for row in spans.head(_TOLD_BY_STACK).iter_rows(named=True):
        told = (
            f"{lasting:.1f} years with {name}"
            for name, lasting in zip(row[_NETWORK], row[_YEARS], strict=True)
        )
        yield f"by the network's time the battery of {row['stack']} lasts {', '.join(told)}"


def _years(folder: Path) -> pl.DataFrame | None:
    runs = folder / "runs.parquet"
    if not runs.exists():
        return None
    table = pl.scan_parquet(runs)
    names = table.collect_schema().names()
    swept = [name for name in names if name.endswith("nbiot_network")]
    if len(swept) != 1 or _YEARS not in names:
        return None
    settings = [name for name in names if name.startswith(_SETTINGS) and name not in swept]
    return (
        table.select("stack", "part", *settings, pl.col(swept[0]).alias(_NETWORK), _YEARS)
        .filter(pl.col(_NETWORK).is_not_null() & pl.col(_YEARS).is_not_null())
        .collect()
    )

"""The effective sample size of a run, whose devices do not fail independently."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from lasthop.measures import COLUMNS, resolve_column
from lasthop.measures.groups import PLACE, WHOLE
from lasthop.statistics.effective_sample import part_that_counts
from lasthop.study.expressions import parse_expression

EFFECTIVE = {
    column.trials.effective: column.name
    for column in COLUMNS
    if column.trials and column.trials.effective
}
"""The columns that are added here, and the share that each is of."""

_IN_TIME_MS = 20_000
_SUCCEEDED = {
    "delivery_ratio": pl.col("status") == "delivered",
    "availability_20s": pl.col("latency_ms") <= _IN_TIME_MS,
}
_DEVICE = ("run_id", "group", "flow", "device")


def asks_for_shares(study: Mapping[str, Any]) -> bool:
    """Whether the decision of a study in a manifest uses a share of its messages."""
    asked: Mapping[str, Any] = study.get("decide") or {}
    names = [asked.get("minimise") or asked.get("maximise") or ""]
    names += [parse_expression(text).comparison.column for text in asked.get("require") or ()]
    shares = list(EFFECTIVE.values())
    return any(resolve_column(name, shares) for name in names if name)


class EffectiveSamples:
    """The effective samples of all runs in some result folders.

    Parameters
    ----------
    folders
        Of one study. Folders of before, without groups, tell nothing.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        parts = [part for folder in folders if (part := _counts(folder)) is not None]
        self._counts = pl.concat([counts for counts, _ in parts]).unique() if parts else None
        self._devices = pl.concat([devices for _, devices in parts]).unique() if parts else None

    def of_runs(self, runs: pl.DataFrame) -> pl.DataFrame:
        """Add a column for each share to the rows of runs."""
        return self._added(runs, ["case_id"], ["run_id"])

    def of_groups(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Add a column for each share to the rows of groups, strata and flows."""
        plain = groups.with_columns(pl.col("stratum").fill_null(WHOLE))
        added = self._added(plain, ["case_id", *PLACE], ["run_id", *PLACE])
        return added.with_columns(groups["stratum"])

    def _added(self, rows: pl.DataFrame, of_case: list[str], of_row: list[str]) -> pl.DataFrame:
        if self._counts is None or self._devices is None or self._counts.is_empty():
            return rows
        weighted = pl.col("weight") * pl.col("messages_offered")
        sizes = self._counts.group_by([*of_case, "run_id"]).agg(
            size=weighted.sum() ** 2 / (pl.col("weight") * weighted).sum()
        )
        counting = _counting(self._devices, of_case)
        found = sizes.join(counting, on=of_case, how="left", nulls_equal=True).select(
            *of_row,
            *(
                (pl.col("size") * pl.col(share).fill_null(1.0)).alias(name)
                for name, share in EFFECTIVE.items()
            ),
        )
        return rows.join(found, on=of_row, how="left", maintain_order="left")


def _counting(devices: pl.DataFrame, of_case: list[str]) -> pl.DataFrame:
    """Give for each case which part of its messages counts, a column for each share."""
    shares = list(_SUCCEEDED)
    size = pl.col("weight") * pl.col("offered")
    keys = dict.fromkeys([*of_case, "run_id", "group", "device"])
    clusters = devices.group_by(list(keys)).agg(
        size=size.sum(),
        squares=(pl.col("weight") * size).sum(),
        **{share: (pl.col("weight") * pl.col(share)).sum() for share in shares},
    )
    rows: list[dict[str, object]] = []
    for key, found in clusters.group_by(of_case, maintain_order=True):
        row: dict[str, object] = dict(zip(of_case, key, strict=True))
        sizes, squares = found["size"].to_list(), math.fsum(found["squares"])
        for share in shares:
            row[share] = _part(found[share].to_list(), sizes, squares)
        rows.append(row)
    types = {**dict.fromkeys(of_case, pl.String), **dict.fromkeys(shares, pl.Float64)}
    return pl.DataFrame(rows, schema=types)


def _part(succeeded: Sequence[float], sizes: Sequence[float], squares: float) -> float:
    """Give the part of the messages of some clusters that counts."""
    total = math.fsum(sizes)
    mean = math.fsum(succeeded) / total
    apart = math.fsum(
        (good - mean * size) ** 2 for good, size in zip(succeeded, sizes, strict=True)
    )
    count = len(sizes)
    return part_that_counts(
        share=mean,
        clusters=count,
        variance=count / max(1, count - 1) * apart / total**2,
        independent=mean * (1 - mean) * squares / total**2,
    )


def _counts(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Give the messages of each run by place, and by device; None where they are not known."""
    files = [folder / f"{name}.parquet" for name in ("runs", "groups", "messages")]
    if not all(file.exists() for file in files):
        return None
    runs, groups, messages = map(pl.scan_parquet, files)
    cases = runs.filter(status="completed").select("run_id", "case_id").unique("run_id")
    counts = (
        groups.select("run_id", *PLACE, "weight", "messages_offered")
        .filter(pl.col("messages_offered") > 0)
        .with_columns(pl.col("stratum").fill_null(WHOLE))
        .join(cases, on="run_id")
        .collect()
    )
    told = (
        messages.filter("measured")
        .group_by(_DEVICE)
        .agg(
            offered=pl.len(),
            **{
                name: succeeded.fill_null(value=False).sum()
                for name, succeeded in _SUCCEEDED.items()
            },
        )
        .join(cases, on="run_id")
        .collect(engine="streaming")
        .sort(_DEVICE)
    )
    placed = told.join(_strata(runs), on=["case_id", "group", "device"], how="left").with_columns(
        pl.col("stratum").fill_null(WHOLE)
    )
    devices = placed.join(counts.drop("case_id"), on=["run_id", *PLACE])
    is_whole = pl.col("offered").sum().over("run_id", *PLACE) == pl.col("messages_offered")
    return counts, devices.filter(is_whole).drop("messages_offered")


def _strata(runs: pl.LazyFrame) -> pl.DataFrame:
    """Give the stratum of each device of groups that have some, by case."""
    specs = (
        runs.filter(pl.col("run_spec").str.contains('"strata":[{', literal=True))
        .select("case_id", "run_spec")
        .unique("case_id")
        .collect()
    )
    rows: list[tuple[str, str, int, str]] = []
    for case, spec in specs.iter_rows():
        for group in json.loads(spec)["groups"]:
            names = _names_by_device(group["strata"])
            rows += [(case, group["name"], device, name) for device, name in enumerate(names)]
    types = {"case_id": pl.String, "group": pl.String, "device": pl.Int32, "stratum": pl.String}
    return pl.DataFrame(rows, schema=types, orient="row")


def _names_by_device(strata: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(stratum["name"]) for stratum in strata for _ in range(stratum["devices"])]

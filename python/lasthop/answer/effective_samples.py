"""The effective sample size of a run, whose devices do not fail independently."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

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

_SERVED_MS = 20_000


@dataclass(frozen=True, slots=True)
class _Trials:
    """Messages that are the trials of shares.

    Attributes
    ----------
    column
        The column of ``groups.parquet`` that counts them.
    counts
        Whether a message is one of them, by its row.
    succeeded
        Whether it is a success, for each share.
    """

    column: str
    counts: pl.Expr
    succeeded: Mapping[str, pl.Expr]


_OFFERED = _Trials(
    "messages_offered",
    pl.lit(value=True),
    {
        "delivery_ratio": pl.col("status") == "delivered",
        "availability_20s": pl.col("latency_ms") <= _SERVED_MS,
    },
)
_WITH_DEADLINE = _Trials(
    "messages_with_deadline",
    pl.col("in_time").is_not_null(),
    {"in_time_ratio": pl.col("in_time")},
)
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
        folders = list(folders)
        samples = (_Samples.of(folders, trials) for trials in (_OFFERED, _WITH_DEADLINE))
        self._samples = [found for found in samples if found is not None]

    def of_runs(self, runs: pl.DataFrame) -> pl.DataFrame:
        """Add a column for each share to the rows of runs."""
        for samples in self._samples:
            runs = samples.added(runs, ["case_id"], ["run_id"])
        return runs

    def of_groups(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Add a column for each share to the rows of groups, strata and flows."""
        found = groups.with_columns(pl.col("stratum").fill_null(WHOLE))
        for samples in self._samples:
            found = samples.added(found, ["case_id", *PLACE], ["run_id", *PLACE])
        return found.with_columns(groups["stratum"])


@dataclass(frozen=True, slots=True)
class _Samples:
    """The messages of runs that are the trials of some shares.

    Attributes
    ----------
    counts
        How many there are, by run and place.
    devices
        How many there are and how many succeeded, by device.
    shares
        The columns that are shares of them.
    """

    counts: pl.DataFrame
    devices: pl.DataFrame
    shares: tuple[str, ...]

    @classmethod
    def of(cls, folders: Sequence[Path], trials: _Trials) -> Self | None:
        """Read them from result folders; None where there are none."""
        parts = [part for folder in folders if (part := _counts(folder, trials)) is not None]
        if not parts:
            return None
        counts = pl.concat([counts for counts, _ in parts]).unique()
        devices = pl.concat([devices for _, devices in parts]).unique()
        return None if counts.is_empty() else cls(counts, devices, tuple(trials.succeeded))

    def added(self, rows: pl.DataFrame, of_case: list[str], of_row: list[str]) -> pl.DataFrame:
        """Add a column for each share to rows."""
        weighted = pl.col("weight") * pl.col("trials")
        sizes = self.counts.group_by([*of_case, "run_id"]).agg(
            size=weighted.sum() ** 2 / (pl.col("weight") * weighted).sum()
        )
        counting = _counting(self.devices, of_case, self.shares)
        found = sizes.join(counting, on=of_case, how="left", nulls_equal=True).select(
            *of_row,
            *(
                (pl.col("size") * pl.col(share).fill_null(1.0)).alias(name)
                for name, share in EFFECTIVE.items()
                if share in self.shares
            ),
        )
        return rows.join(found, on=of_row, how="left", maintain_order="left")


def _counting(devices: pl.DataFrame, of_case: list[str], shares: Sequence[str]) -> pl.DataFrame:
    """Give for each case which part of its messages counts, a column for each share."""
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


def _counts(folder: Path, trials: _Trials) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Give the trials of each run by place, and by device; None where they are not known."""
    files = [folder / f"{name}.parquet" for name in ("runs", "groups", "messages")]
    if not all(file.exists() for file in files):
        return None
    runs, groups, messages = map(pl.scan_parquet, files)
    if trials.column not in groups.collect_schema().names():
        return None
    cases = runs.filter(status="completed").select("run_id", "case_id").unique("run_id")
    counts = (
        groups.select("run_id", *PLACE, "weight", pl.col(trials.column).alias("trials"))
        .filter(pl.col("trials") > 0)
        .with_columns(pl.col("stratum").fill_null(WHOLE))
        .join(cases, on="run_id")
        .collect()
    )
    told = (
        messages.filter(pl.col("measured") & trials.counts)
        .group_by(_DEVICE)
        .agg(
            offered=pl.len(),
            **{
                name: succeeded.fill_null(value=False).sum()
                for name, succeeded in trials.succeeded.items()
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
    is_whole = pl.col("offered").sum().over("run_id", *PLACE) == pl.col("trials")
    return counts, devices.filter(is_whole).drop("trials")


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

"""The tables that a report reads, from one result folder or from the folders of several shards."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from lasthop.answer.arms import stack_names
from lasthop.answer.effective_samples import EffectiveSamples, asks_for_shares
from lasthop.answer.expectation import Expectation, judge_expectations
from lasthop.answer.group_rows import no_groups
from lasthop.answer.projection import (
    of_claims,
    of_expressions,
    of_question,
    project_for_figures,
)
from lasthop.claims import Judgement, claims_of, judge
from lasthop.errors import UsageError
from lasthop.referee import Ruling, read_ruling
from lasthop.results.judgements import read_multiverse
from lasthop.results.manifest import Manifest
from lasthop.results.verification import verify


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The data of a study's runs for the report.

    Parameters
    ----------
    folders : tuple of str
        The names of the result folders, without the path to them.
    manifests : tuple of mapping
        One for each folder.
    ruling : Ruling
        What the referee found.
    runs : polars.DataFrame
        What of ``runs.parquet`` can be drawn.
    unchecked : tuple of str
        The folders of which not all has a digest.
    paths : tuple of Path
        Where the other tables lie, which are read for the runs of one point at a time.
    judgements : tuple of Judgement
        The study's claims, held against the runs; none while runs are missing.
    multiverse : mapping, optional
        What ``multiverse.json`` holds, where there is one.
    samples : EffectiveSamples, optional
        Of the runs, where the study is decided by a share.
    beside : tuple of ReportSource
        Other studies of the same paper, whose claims and runs its figures show as well.
    group_costs : polars.DataFrame, optional
        What a SIM of each run, group and stratum costs more by other prices (``added``).
    """

    folders: tuple[str, ...]
    manifests: tuple[Mapping[str, Any], ...]
    ruling: Ruling
    runs: pl.DataFrame
    unchecked: tuple[str, ...]
    paths: tuple[Path, ...]
    judgements: tuple[Judgement, ...]
    multiverse: Mapping[str, Any] | None = None
    samples: EffectiveSamples | None = None
    beside: tuple["ReportSource", ...] = ()
    group_costs: pl.DataFrame | None = None

    @property
    def study(self) -> Mapping[str, Any]:
        """The study as the manifest holds it."""
        study: Mapping[str, Any] = self.manifests[0]["study"]
        return study

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """The judged expectations of the study; empty while runs are missing."""
        expected = self.study.get("expect") or ()
        if not _whole(self.manifests):
            return ()
        return judge_expectations(self.runs, expected, self.read_groups)

    @property
    def stacks(self) -> tuple[str, ...]:
        """All stacks, in the order of the study, then those that only the tables know."""
        named = stack_names(self.study)
        found = self.runs["stack"].unique(maintain_order=True).to_list()
        return (*named, *(stack for stack in found if stack not in named))

    @property
    def groups(self) -> pl.DataFrame | None:
        """Figures by run, group, stratum and flow; None in folders of before."""
        kept = [folder for folder in self.paths if (folder / "groups.parquet").exists()]
        if not kept:
            return None
        found = (
            pl.concat([_table(folder, "groups") for folder in kept])
            .unique(maintain_order=True)
            .collect()
        )
        if self.group_costs is not None:
            found = with_costs(found, self.group_costs, ["run_id", "group", "stratum"])
        return found if self.samples is None else self.samples.of_groups(found)

    @property
    def has_weights(self) -> bool:
        """Whether simulated devices of a run stand for different numbers of real ones."""
        groups = self.groups
        if groups is None:
            return False
        weights = groups.select("run_id", "weight").unique()
        return weights.height > weights["run_id"].n_unique()

    def read_groups(self) -> pl.DataFrame:
        """Read `groups` for what cannot be judged without them.

        Raises
        ------
        UsageError
            There are none.
        """
        groups = self.groups
        return no_groups() if groups is None else groups

    def latency(self, runs: pl.Series) -> pl.DataFrame:
        """Read the latency histograms of some runs."""
        return self._of("latency", runs).unique().collect()

    def ledger(self, runs: pl.Series) -> pl.DataFrame:
        """Read the bytes that some runs offered, by run, path, direction, layer and cause."""
        return self._of("ledger", runs).unique().collect()

    def run_with_slowest_message(self, runs: pl.Series) -> str | None:
        """Name the one of some runs whose slowest message took longest; None without messages."""
        scanned = self._messages(runs)
        if scanned is None:
            return None
        slowest = scanned.group_by("run_id").agg(pl.col("latency_ms").max()).collect()
        found = runs.to_frame("run_id").join(slowest, on="run_id", maintain_order="left")
        ordered = found.sort("latency_ms", descending=True, nulls_last=True, maintain_order=True)
        return None if ordered.is_empty() else str(ordered["run_id"][0])

    def messages(self, run_id: str, columns: Sequence[str]) -> pl.DataFrame:
        """Read some columns of the measured messages of a run."""
        scanned = self._messages(pl.Series([run_id]))
        if scanned is None:
            return pl.DataFrame()
        there = set(scanned.collect_schema().names())
        read = scanned.select(name for name in columns if name in there)
        return (read if len(self.paths) == 1 else read.unique(maintain_order=True)).collect()

    def _messages(self, runs: pl.Series) -> pl.LazyFrame | None:
        kept = [folder for folder in self.paths if (folder / "messages.parquet").exists()]
        wanted = pl.col("run_id").is_in(runs.implode()) & pl.col("measured")
        scanned = [_table(folder, "messages").filter(wanted) for folder in kept]
        return pl.concat(scanned) if scanned else None

    def _of(self, name: str, runs: pl.Series) -> pl.LazyFrame:
        wanted = pl.col("run_id").is_in(runs.implode())
        return pl.concat([_TABLES[name](folder, wanted) for folder in self.paths])

    def virtual_spec(self, run_id: str) -> str | None:
        """Return the run spec of a simulated run; None of one in real time."""
        for folder in self.paths:
            scanned = pl.scan_parquet(folder / "runs.parquet")
            if not {"run_spec", "engine"} <= set(scanned.collect_schema().names()):
                continue
            found = (
                scanned.filter(pl.col("run_id") == run_id).select("run_spec", "engine").collect()
            )
            if not found.is_empty() and found["engine"][0] == "virtual":
                return str(found["run_spec"][0])
        return None

    def explain_command(self, run_id: str, message: str) -> str:
        """Return the command that prints the time line of a message."""
        folder = shlex.quote(self.folders[0])
        return f"lasthop explain {run_id[:8]} {message} --in {folder}"

    def command(self, figure: str | None = None) -> str:
        """Return the command that rebuilds the report, or one figure of it."""
        folders = " ".join(shlex.quote(name) for name in self.folders)
        others = (shlex.quote(name) for source in self.beside for name in source.folders)
        folders += "".join(f" --beside {name}" for name in others)
        if figure is None:
            return f"lasthop report {folders}"
        return f"lasthop report {folders} --figure {figure} --out {figure}.svg"


def read_source(results: Sequence[Path], *, beside: Sequence[Path] = ()) -> ReportSource:
    """Read result folders that belong together, and those of other studies of the same paper.

    Raises
    ------
    UsageError
        A folder holds no results, or those of another study.
    """
    if not results:
        message = "report: no result folder is given; write the folder that lasthop run made"
        raise UsageError(message)
    read = [_manifest(folder) for folder in results]
    checked = [verify(folder, manifest) for folder, manifest in zip(results, read, strict=True)]
    manifests = [asdict(manifest) for manifest in read]
    names = [folder.resolve().name for folder in results]
    _check_same_study(results, manifests)
    study = manifests[0]["study"]
    samples = EffectiveSamples(results) if asks_for_shares(study) else None
    whole = _runs(results, study)
    whole = whole if samples is None else samples.of_runs(whole)
    return ReportSource(
        folders=tuple(names),
        manifests=tuple(manifests),
        ruling=_ruling(results),
        runs=whole,
        unchecked=tuple(name for name, sound in zip(names, checked, strict=True) if not sound),
        paths=tuple(results),
        judgements=_judged(manifests, whole),
        multiverse=read_multiverse(results[0]) if len(results) == 1 else None,
        samples=samples,
        beside=_beside(study, beside),
    )


def _beside(study: Mapping[str, Any], folders: Sequence[Path]) -> tuple[ReportSource, ...]:
    """Read the results of other studies, which the figures of a paper show as well."""
    if folders and not study.get("figures"):
        message = f"--beside: the study {study.get('name')} has no figures of a paper"
        raise UsageError(f'{message}; add "figures: figures.yaml" to it, or remove --beside')
    found = tuple(read_source([folder]) for folder in folders)
    names = [study.get("name"), *(source.study.get("name") for source in found)]
    for folder, name in zip(folders, names[1:], strict=True):
        if names.count(name) > 1:
            message = f"--beside: {folder} holds {name}, which is there already"
            raise UsageError(f"{message}; name the results of another study of the paper")
    return found


def _whole(manifests: Sequence[Mapping[str, Any]]) -> bool:
    finished = all(manifest.get("state") == "complete" for manifest in manifests)
    return finished and (len(manifests) > 1 or manifests[0].get("selection") is None)


def _judged(manifests: Sequence[Mapping[str, Any]], runs: pl.DataFrame) -> tuple[Judgement, ...]:
    study = manifests[0]["study"]
    if not _whole(manifests):
        return ()
    return judge(claims_of(study), runs, looks=study.get("looks", 1))


def _manifest(folder: Path) -> Manifest:
    manifest = Manifest.read(folder)
    if manifest is None:
        message = (
            f"{folder}: this is not a result folder, because it has no "
            "manifest.json; write the folder that lasthop run made"
        )
        raise UsageError(message)
    return manifest


def _check_same_study(folders: Sequence[Path], manifests: Sequence[Mapping[str, Any]]) -> None:
    first = manifests[0]
    for folder, manifest in zip(folders, manifests, strict=True):
        if _identity(manifest) != _identity(first):
            message = (
                f"{folder}: holds {manifest['study'].get('name')}, which is not the "
                f"study of {folders[0]}; write a report of each study by itself"
            )
            raise UsageError(message)


def _identity(manifest: Mapping[str, Any]) -> tuple[Any, ...]:
    return (manifest["study"].get("name"), manifest.get("plan_hash"), manifest.get("lasthop"))


def _ruling(folders: Sequence[Path]) -> Ruling:
    rulings = [read_ruling(folder) for folder in folders]
    return Ruling(
        runs=tuple(dict.fromkeys(found for ruling in rulings for found in ruling.runs)),
        comparisons=tuple(
            dict.fromkeys(found for ruling in rulings for found in ruling.comparisons)
        ),
    )


def _table(folder: Path, name: str) -> pl.LazyFrame:
    path = folder / f"{name}.parquet"
    if not path.exists():
        message = f"{folder}: {name}.parquet is missing; finish the runs with lasthop run"
        raise UsageError(message)
    return pl.scan_parquet(path)


def _latency(folder: Path, wanted: pl.Expr) -> pl.LazyFrame:
    return _table(folder, "latency").filter(wanted)


def _offered(folder: Path, wanted: pl.Expr) -> pl.LazyFrame:
    offered = _table(folder, "ledger").filter(wanted, pl.col("fate") == "offered")
    return offered.group_by("run_id", "path", "direction", "layer", "cause").agg(
        pl.col("bytes").sum()
    )


_TABLES = {"latency": _latency, "ledger": _offered}


def _runs(folders: Sequence[Path], study: Mapping[str, Any]) -> pl.DataFrame:
    scanned = [_table(folder, "runs") for folder in folders]
    runs = pl.concat(scanned, how="diagonal_relaxed")
    asked = {
        *of_question(study, runs.collect_schema().names()),
        *of_expressions(study.get("expect") or ()),
        *of_claims(claims_of(study)),
    }
    drawn = project_for_figures(runs, study, asked)
    return drawn if len(folders) == 1 else _once(drawn)


def _once(runs: pl.DataFrame) -> pl.DataFrame:
    """Keep one row a part and run, the completed one where shards overlap."""
    completed_first = pl.col("status") != "completed"
    order = runs.with_row_index("__order").sort(completed_first, "__order")
    return order.unique(["part", "run_id"], keep="first").sort("__order").drop("__order")


def with_costs(table: pl.DataFrame, added: pl.DataFrame, on: Sequence[str]) -> pl.DataFrame:
    """Add to the cost of a SIM what it costs more (``added``)."""
    if "cost_per_year" not in table.columns:
        return table
    joined = table.join(added, on=list(on), how="left", nulls_equal=True, maintain_order="left")
    cost = pl.col("cost_per_year") + pl.col("added").fill_null(0.0)
    return joined.with_columns(cost).drop("added")

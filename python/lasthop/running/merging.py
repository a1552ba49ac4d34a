"""Merges folders of one study, for example shards from several machines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from lasthop.errors import UsageError
from lasthop.outcome.junit import write_junit
from lasthop.outcome.results import Results
from lasthop.referee.rule import rule
from lasthop.results.atomic import environment, replacement
from lasthop.results.folder import TABLES, ResultFolder, open_folder
from lasthop.results.manifest import Manifest
from lasthop.results.row_groups import row_groups
from lasthop.results.schema import Schema, conform
from lasthop.results.table_writer import ROW_GROUP, TableWriter
from lasthop.results.verification import verify
from lasthop.running.judging import judge_and_close
from lasthop.running.progress import Silence


def merge(sources: Sequence[Path], *, out: Path) -> Manifest:
    """Merge the rows of several folders into a new one without duplicate runs.

    Parameters
    ----------
    sources
        Folders of the same study and seed, made by one build; runs that several of them hold
        are taken from the first.
    out
        The folder to make.

    Raises
    ------
    UsageError
        The folders answer different questions, builds that may answer differently made them, or
        one is not a folder of results.
    """
    if out.resolve() in {source.resolve() for source in sources}:
        raise UsageError(f"{out}: this is one of the folders to merge; choose another --out")
    manifests = [_manifest(source) for source in sources]
    first = manifests[0]
    for source, manifest in zip(sources, manifests, strict=True):
        if (manifest.plan_hash, manifest.lasthop) != (first.plan_hash, first.lasthop):
            message = f"{source}: its study, seed or version differs from {sources[0]}"
            raise UsageError(f"{message}; merge the shards of one study")
        if manifest.working_copy != first.working_copy:
            message = f"{source}: another build of lasthop made it, not that of {sources[0]}"
            raise UsageError(f"{message}; run the shards again with the same build")
        if manifest.software != first.software:
            message = f"{source}: its server software or command differs from {sources[0]}"
            raise UsageError(f"{message}; run the shards again with the same software")
    whole = replace(first, selection=None, state="running", counts={})
    with open_folder(out, whole) as folder:
        fresh = _fresh_runs(sources)
        for name in TABLES:
            _merge_table(name, sources, fresh, folder)
        counts = rule(folder, _counts(folder.table("runs")))
        complete = sum(counts.values()) >= first.planned_runs
        manifest = folder.manifest.ended("complete" if complete else "interrupted", counts)
        judge_and_close(folder, manifest, Silence())
        write_junit(Results(out))
        return folder.manifest


def _manifest(source: Path) -> Manifest:
    manifest = Manifest.read(source)
    if manifest is not None:
        verify(source, manifest)
    missing = [name for name in TABLES if not (source / f"{name}.parquet").exists()]
    if manifest is None or missing:
        raise UsageError(
            f"{source}: this is not a result folder; write the folders that lasthop run made"
        )
    return manifest


def _fresh_runs(sources: Sequence[Path]) -> list[pl.Series]:
    """Return for each folder the runs that earlier folders lack."""
    seen: set[str] = set()
    fresh = []
    for source in sources:
        with environment(source):
            runs = pl.read_parquet(source / "runs.parquet", columns=["run_id"], glob=False)
        new = {run_id for run_id in runs["run_id"].to_list() if run_id not in seen}
        seen |= new
        fresh.append(pl.Series(sorted(new), dtype=pl.String))
    return fresh


def _merge_table(
    name: str, sources: Sequence[Path], fresh: Sequence[pl.Series], folder: ResultFolder
) -> None:
    target = folder.table(name)
    files = [source / f"{name}.parquet" for source in sources]
    with environment(files[0]):
        schema = Schema.of_file(files[0])
    with replacement(target) as temporary:
        with TableWriter(temporary, schema) as writer:
            for file, wanted in zip(files, fresh, strict=True):
                with environment(file):
                    for block in row_groups(file, rows=ROW_GROUP):
                        kept = block.filter(pl.col("run_id").is_in(wanted.implode()))
                        writer.append(conform(kept, schema, name=name))
        folder.unseal(target.name)
    folder.seal(target.name, writer.digest)


def _counts(runs: Path) -> Counter[str]:
    with environment(runs):
        table = pl.read_parquet(runs, columns=["run_id", "status"], glob=False)
    return Counter(dict(table.iter_rows()).values())

"""Several folders of one study into one: the shards of a campaign that ran on several machines."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lasthop.errors import UsageError
from lasthop.outcome.junit import write_junit
from lasthop.outcome.results import Results
from lasthop.referee.rule import rule
from lasthop.results.atomic import environment, replacement
from lasthop.results.folder import TABLES, ResultFolder, open_folder
from lasthop.results.manifest import Manifest
from lasthop.results.table_writer import TableWriter
from lasthop.results.verification import verify
from lasthop.running.judging import judge_and_close
from lasthop.running.progress import Silence


def merge(sources: Sequence[Path], *, out: Path) -> Manifest:
    """Gather the rows of several folders into a new one, each run once.

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
        raise UsageError(f"{out}: is one of the folders to merge; choose another --out")
    manifests = [_manifest(source) for source in sources]
    first = manifests[0]
    for source, manifest in zip(sources, manifests, strict=True):
        if (manifest.plan_hash, manifest.lasthop) != (first.plan_hash, first.lasthop):
            message = f"{source}: holds another study, seed or version than {sources[0]}"
            raise UsageError(f"{message}; merge the shards of one study")
        if not manifest.made_alike(first):
            message = f"{source}: another build of lasthop made it than {sources[0]}"
            raise UsageError(f"{message}; run the shards again with one build")
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
    missing = [name for name in TABLES if not (source / f"{name}.parquet").exists()]
    if manifest is None or missing:
        raise UsageError(f"{source}: not a folder of results; give folders that lasthop run made")
    verify(source, manifest)
    return manifest


def _fresh_runs(sources: Sequence[Path]) -> list[pa.Array]:
    """Return for each folder the runs that no folder before it holds."""
    seen: set[str] = set()
    fresh = []
    for source in sources:
        with environment(source):
            column = pq.read_table(source / "runs.parquet", columns=["run_id"])["run_id"]
        new = {run_id for run_id in column.to_pylist() if run_id not in seen}
        seen |= new
        fresh.append(pa.array(sorted(new), pa.string()))
    return fresh


def _merge_table(
    name: str, sources: Sequence[Path], fresh: Sequence[pa.Array], folder: ResultFolder
) -> None:
    target = folder.table(name)
    with ExitStack() as files:
        opened = []
        for source in sources:
            with environment(source):
                opened.append(files.enter_context(pq.ParquetFile(source / f"{name}.parquet")))
        schema = opened[0].schema_arrow
        with replacement(target) as temporary:
            with TableWriter(temporary, schema) as writer:
                for file, wanted in zip(opened, fresh, strict=True):
                    for block in _blocks(file):
                        kept = block.filter(pc.is_in(block["run_id"], value_set=wanted))
                        writer.append(kept.cast(schema))
            folder.unseal(target.name)
        folder.seal(target.name, writer.digest)


def _blocks(file: pq.ParquetFile) -> Iterator[pa.Table]:
    for group in range(file.num_row_groups):
        yield file.read_row_group(group)


def _counts(runs: Path) -> Counter[str]:
    with environment(runs):
        table = pq.read_table(runs, columns=["run_id", "status"])
    statuses = dict(zip(table["run_id"].to_pylist(), table["status"].to_pylist(), strict=True))
    return Counter(statuses.values())

"""Verifies that a result folder is unchanged since lasthop wrote it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from lasthop.regular_file import NotRegularError, check_regular
from lasthop.results.atomic import environment
from lasthop.results.digest import FileDigest
from lasthop.results.manifest import CHANGED, Manifest
from lasthop.results.row_groups import row_groups
from lasthop.results.schema import RUN_TABLES, TIMINGS
from lasthop.results.stored import DamagedResultsError
from lasthop.study.plan.study import RUN_ID_DIGITS
from lasthop.study.run_spec import identity

STORED = (
    *(f"{name}.parquet" for name in ("runs", *RUN_TABLES, "timings")),
    "referee.json",
    "claims.json",
    "multiverse.json",
)
"""Files besides the manifest that results are read from."""

GONE = "is gone"
"""Error text for a missing file whose digest is stored."""

UNCHECKED = "unchecked: not all of it has a digest"
"""Note on a folder without digests, in which changes are undetectable."""

_BATCH_ROWS = 1_024
_NAMING = ("part", "stack", "status")
_NEEDED = {
    "runs.parquet": ("run_id", "run_spec", *_NAMING),
    "timings.parquet": TIMINGS.names,
    **{f"{name}.parquet": schema.names for name, schema in RUN_TABLES.items()},
}
"""Columns that every version has. Later versions added the others."""
_STATUSES = frozenset({"completed", "failed", "invalid", "unsupported"})

_Stamp = tuple[int, int, int, int]

_known: dict[_Stamp, FileDigest] = {}
"""Digests of files that this process has written or read, by file and time stamp."""
_sound: set[_Stamp] = set()
"""Runs tables that this process has written or checked."""


def remember(path: Path, digest: FileDigest) -> None:
    """Remember the digest of a file that this process wrote."""
    with environment(path):
        stamp = _stamp(path)
    _known[stamp] = digest
    _sound.add(stamp)


def lacking(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Return the files of the manifest that are missing in the folder."""
    return tuple(name for name in manifest.digests if not (folder / name).exists())


def verify(folder: Path, manifest: Manifest) -> bool:
    """Check the files of a folder against its manifest.

    Returns
    -------
    bool
        Whether all of it has a digest. Of what has none, it is checked that it can be read and
        that its runs are those of the folder, which finds damage, but not every change.

    Raises
    ------
    DamagedResultsError
        A file is not as it was written, or is gone; it is named.
    """
    for name in lacking(folder, manifest):
        raise DamagedResultsError(folder / name, GONE)
    there = [name for name in STORED if (folder / name).exists()]
    unchecked = [name for name in there if name not in manifest.digests]
    for name in there:
        if name not in unchecked:
            _check_digest(folder / name, FileDigest.stored(manifest.digests[name]))
    if "runs.parquet" in there:
        _check_runs(folder / "runs.parquet", manifest)
    tables = [name for name in unchecked if name.endswith(".parquet")]
    if tables and "runs.parquet" in there:
        ids = _check_names(folder / "runs.parquet", manifest)
        for name in tables:
            _check_rows(folder / name, ids)
    return not unchecked and manifest.digest is not None


def _check_digest(path: Path, expected: FileDigest) -> None:
    with _readable(path):
        found = _known.get(_stamp(path))
        if found is None and path.stat().st_size == expected.size_bytes:
            found = _known[_stamp(path)] = FileDigest.of_file(path)
    if found != expected:
        raise DamagedResultsError(path, CHANGED)


def _check_runs(path: Path, manifest: Manifest) -> None:
    """Check that the id of each run matches its spec."""
    with _readable(path):
        stamp = _stamp(path)
    if stamp in _sound:
        return
    for batch in _batches(path, ["run_id", "run_spec"]):
        for run_id, spec in batch.iter_rows():
            if identity(str(spec), digits=RUN_ID_DIGITS, version=manifest.lasthop) != run_id:
                raise DamagedResultsError(path, f"the run {run_id} has the run spec of another run")
    _sound.add(stamp)


def _check_names(path: Path, manifest: Manifest) -> set[str]:
    """Check that the runs belong to the study, and return their ids."""
    known = {
        "part": {part["name"] for part in manifest.study["parts"]},
        "stack": {stack["name"] for stack in manifest.study["stacks"]},
        "status": _STATUSES,
    }
    ids: set[str] = set()
    for batch in _batches(path, None):
        for name in _NAMING:
            for value in set(batch[name].unique().to_list()) - known[name]:
                raise DamagedResultsError(path, f'the {name} "{value}" is not valid')
        ids.update(batch["run_id"].to_list())
    return ids


def _check_rows(path: Path, ids: set[str]) -> None:
    """Check that a table is readable and contains only these runs."""
    for batch in _batches(path, None):
        for run_id in set(batch["run_id"].unique().to_list()) - ids:
            raise DamagedResultsError(path, f"the run {run_id} is not in runs.parquet")


def _batches(path: Path, columns: list[str] | None) -> Iterator[pl.DataFrame]:
    with _readable(path):
        _stamp(path)  # what is no file is not opened
    with _readable(path):
        found = pl.read_parquet_schema(path)
        for name in sorted({*_NEEDED[path.name]} - {*found}):
            raise DamagedResultsError(path, f"the column {name} is missing")
        yield from row_groups(path, rows=_BATCH_ROWS, columns=columns)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        with environment(path):
            try:
                yield
            except NotRegularError as error:
                raise DamagedResultsError(path, str(error.strerror)) from error
            except OSError as error:
                if error.errno is None:  # Polars tells of a broken file so
                    raise DamagedResultsError(path, "the file cannot be read as a table") from error
                raise
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise DamagedResultsError(path, "the file cannot be read as a table") from error


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    check_regular(status, path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

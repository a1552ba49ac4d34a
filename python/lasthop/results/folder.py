"""The folder of one study's results, locked while it is written."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from lasthop.errors import EnvironmentFailure, LasthopError, UsageError
from lasthop.results.atomic import environment, remove_temporaries, replacement
from lasthop.results.digest import FileDigest
from lasthop.results.lock import FolderLock
from lasthop.results.manifest import FILE as MANIFEST
from lasthop.results.manifest import Manifest
from lasthop.results.part import is_whole
from lasthop.results.schema import RUN_TABLES
from lasthop.results.verification import STORED, lacking, remember, verify
from lasthop.study.run_spec import canonical_json

TABLES = ("runs", *RUN_TABLES, "timings")

_OF_NOBODY = frozenset({".lock", ".gitignore", ".gitkeep", "lost+found"})
_TEMPORARY = (".tmp", ".partial")
_WRITTEN_OF_THEM = ("report.html", "junit.xml")
"""Files that are written from the tables and never read back."""


class ResultFolder:
    """Paths and state of a result folder. Its holder also holds the folder's lock.

    Attributes
    ----------
    why_again
        Reason why earlier results of another build were discarded.
    gone
        Files that were removed from the folder. They are written again.
    """

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        *,
        why_again: str | None = None,
        gone: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.manifest = manifest
        self.why_again = why_again
        self.gone = tuple(gone)
        self._fresh: dict[str, FileDigest] = {}

    @property
    def complete(self) -> bool:
        """Return whether every planned run is in the tables."""
        return self.manifest.state == "complete" and all(
            self.table(name).exists() for name in TABLES
        )

    @property
    def has_digests(self) -> bool:
        """Return whether the files have digests. Older folders have none."""
        return bool(self._fresh or self.manifest.digests)

    def table(self, name: str) -> Path:
        """Return the path of a table."""
        return self.path / f"{name}.parquet"

    def part(self, run_id: str) -> Path:
        """Return the path of a finished run's part file, used until the tables are written."""
        return part_of(self.path, run_id)

    def messages_of(self, run_id: str) -> Path:
        """Return the temporary path of a run's messages that do not fit in memory."""
        return self.path / "parts" / f".{run_id}.messages.tmp"

    def capture(self, run_id: str, host: str) -> Path:
        """Return the path of a host's packet capture in a run."""
        return self.path / "captures" / f"{run_id}.{host}.pcapng"

    def keys(self, run_id: str) -> Path:
        """Return the path of a run's TLS key log, which decrypts its captures."""
        return self.path / "captures" / f"{run_id}.keys"

    def events(self, run_id: str, host: str) -> Path:
        """Return the path of a host's QUIC events (qlog) in a run."""
        return self.path / "captures" / f"{run_id}.{host}.sqlog"

    def is_captured(self, run_id: str) -> bool:
        """Return whether a run has a capture of any host."""
        return any((self.path / "captures").glob(f"{run_id}.*"))

    @property
    def has_captures(self) -> bool:
        """Return whether any run may have captures."""
        return (self.path / "captures").is_dir()

    def remove_captures(self, run_id: str) -> None:
        """Remove the captures of a run that is repeated."""
        for path in (self.path / "captures").glob(f"{run_id}.*"):
            with environment(path):
                path.unlink()

    def prepare(self, *, captures: bool) -> None:
        """Create the folders that runs are written to."""
        for name in ("parts", *(("captures",) if captures else ())):
            with environment(self.path / name):
                (self.path / name).mkdir(exist_ok=True)

    def is_finished(self, run_id: str) -> bool:
        """Return whether a run is finished. A damaged part is removed and its run repeated."""
        path = self.part(run_id)
        if is_whole(path, run_id):
            return True
        with environment(path):
            path.unlink(missing_ok=True)
        return False

    def close(self, manifest: Manifest) -> None:
        """Store the final manifest. Remove the parts once all runs are in the tables."""
        known = {name: digest.as_json() for name, digest in self._fresh.items()}
        manifest = replace(manifest, digests={**self.manifest.digests, **known})
        manifest.write(self.path)
        self.manifest = manifest
        if manifest.state == "complete":
            self.remove_parts()

    def unseal(self, *names: str) -> None:
        """Remove the digests of files before these are changed."""
        for name in names:
            self._fresh.pop(name, None)
        if any(name in self.manifest.digests for name in names):
            kept = {
                name: digest for name, digest in self.manifest.digests.items() if name not in names
            }
            self.manifest = replace(self.manifest, digests=kept)
            self.manifest.write(self.path)

    def seal(self, name: str, digest: FileDigest) -> None:
        """Remember the digest of a written file until the manifest is stored."""
        remember(self.path / name, digest)
        self._fresh[name] = digest

    def store(self, name: str, content: object) -> None:
        """Write a JSON file atomically; without content, delete it."""
        path = self.path / name
        if content is None:
            if path.exists():
                self.unseal(name)
                with environment(path):
                    path.unlink()
            return
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        digest = FileDigest.of(text.encode("utf-8"))
        if self.manifest.digests.get(name) == digest.as_json() and path.exists():
            return
        with environment(path), replacement(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
            self.unseal(name)
        self.seal(name, digest)

    def remove_parts(self) -> None:
        """Remove the part files of a complete folder."""
        with environment(self.path):
            shutil.rmtree(self.path / "parts", ignore_errors=True)


@contextmanager
def open_folder(
    path: Path, manifest: Manifest, *, extends: str | None = None
) -> Iterator[ResultFolder]:
    """Create or reopen the result folder of a manifest, and lock it.

    Parameters
    ----------
    path
        The folder.
    manifest
        Manifest of the planned results.
    extends
        Plan hash of a smaller plan whose results are kept and extended.

    Raises
    ------
    UsageError
        The folder holds other results.
    EnvironmentFailure
        The folder cannot be written, or another runner holds it.
    """
    with environment(path):
        existed = path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            message = f"{path}: {error.strerror}; choose another --out"
            raise UsageError(message) from error
    _refuse_foreign(path)  # before the lock, which leaves its trace in the folder
    try:
        with FolderLock(path):
            yield _enter(path, manifest, extends)
    except LasthopError:
        if not existed:
            _remove_if_nothing_was_done(path)
        raise


def _enter(path: Path, manifest: Manifest, extends: str | None) -> ResultFolder:
    existing = Manifest.read(path)
    why_again, gone = None, tuple[str, ...]()
    if existing is None:
        manifest = manifest.begun()
        manifest.write(path)
    else:
        same = existing.answers_the_same(manifest)
        grows = existing.plan_hash == extends and existing.selection == manifest.selection
        if not (same or grows) or existing.commands() != manifest.commands():
            raise UsageError(f"{path}: {_difference(existing, manifest)}; choose another --out")
        why_again = existing.why_other(manifest)
        if why_again is not None:
            manifest = _restarted(path, manifest)
        else:
            gone = lacking(path, existing)
            kept = {name: it for name, it in existing.digests.items() if name not in gone}
            existing = replace(existing, digests=kept)
            verify(path, existing)
            manifest = (_continued if same else _grown)(path, existing, manifest)
    with environment(path):
        for folder in (path, path / "parts", path / "captures"):
            remove_temporaries(folder)
    return ResultFolder(path, manifest, why_again=why_again, gone=gone)


def _refuse_foreign(path: Path) -> None:
    """Refuse a non-empty folder without a manifest, because lasthop did not create it."""
    with environment(path):
        names = sorted(entry.name for entry in path.iterdir())
    if MANIFEST in names:
        return
    for name in names:
        if name not in _OF_NOBODY and not name.endswith(_TEMPORARY):
            message = (
                f"{path}: it contains {name} but no manifest.json, so it is not a result folder"
            )
            raise UsageError(f"{message}; choose another --out")


def _restarted(path: Path, manifest: Manifest) -> Manifest:
    """Remove results of other builds from the folder, and return the new manifest."""
    # The manifest comes last: until then the folder is one of the others.
    with environment(path):
        for name in ("parts", "captures", "logs"):
            if (path / name).exists():
                shutil.rmtree(path / name)
        for name in (*STORED, *_WRITTEN_OF_THEM):
            (path / name).unlink(missing_ok=True)
    manifest = manifest.begun()
    manifest.write(path)
    return manifest


def _continued(_path: Path, existing: Manifest, manifest: Manifest) -> Manifest:
    # The rows are the same, but the study may by now decide or expect something else. That they
    # were looked at before stays true.
    looks = max(found.study.get("looks", 1) for found in (existing, manifest))
    study = {**manifest.study, "looks": looks}
    # What made the rows made them; a command that asks something else of them is told as it is.
    asks_the_same = canonical_json(study) == canonical_json({**existing.study, "looks": looks})
    return replace(
        existing,
        study=study,
        study_hash=manifest.study_hash,
        command=existing.command if asks_the_same else manifest.command,
    )


def _grown(path: Path, existing: Manifest, manifest: Manifest) -> Manifest:
    """Split the tables back into parts, so that finished runs are kept."""
    folder = ResultFolder(path, existing)
    if folder.complete:
        # Imported here: it loads the functions of Arrow, which no new folder needs.
        from lasthop.results.unpacking import unpack  # noqa: PLC0415

        unpack(folder)
    # Only now: until the parts are there, the folder is what it was.
    manifest = replace(manifest, started=existing.started, host=existing.host)
    manifest.write(path)
    return manifest


def _difference(existing: Manifest, manifest: Manifest) -> str:
    name = existing.study.get("name")
    if existing.lasthop != manifest.lasthop:
        return (
            f"it has results of lasthop {existing.lasthop}, and this is lasthop {manifest.lasthop}"
        )
    if (existing.plan_hash, existing.selection) == (manifest.plan_hash, manifest.selection):
        return _other_command(existing, manifest)
    if existing.plan_hash == manifest.plan_hash:
        return (
            f"it has results of {existing.selection or 'all runs'}, not of "
            f"{manifest.selection or 'all runs'}"
        )
    if name != manifest.study.get("name"):
        return f"it has results of another study, {name}"
    return f"it has results of {name} with other settings"


def _other_command(existing: Manifest, manifest: Manifest) -> str:
    """Return the first software whose command has changed."""
    if not existing.software:
        return "it does not record which programs gave its results"
    before, now = existing.commands(), manifest.commands()
    names = sorted({*before, *now})
    name = next(name for name in names if before.get(name) != now.get(name))
    told = (f'"{it[name]}"' if name in it else "what is installed" for it in (before, now))
    return f"it has results of {next(told)} as {name}, not of {next(told)}"


def _remove_if_nothing_was_done(path: Path) -> None:
    if any((path / "parts").glob("*.part")) or (path / "runs.parquet").exists():
        return
    with suppress(OSError, EnvironmentFailure):
        if (path / ".lock").exists():
            return
        shutil.rmtree(path)


def part_of(folder: Path, run_id: str) -> Path:
    """Return the path of a finished run's part file."""
    return folder / "parts" / f"{run_id}.part"

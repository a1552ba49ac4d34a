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
"""What is written from the tables, and never read."""


class ResultFolder:
    """Names what lies in a result folder; whoever holds one holds its lock.

    Attributes
    ----------
    why_again
        Why the results that it held do not count, where another program made them.
    gone
        The files that somebody removed from it: they are made again.
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
        """Whether every planned run is in the tables."""
        return self.manifest.state == "complete" and all(
            self.table(name).exists() for name in TABLES
        )

    @property
    def has_digests(self) -> bool:
        """Whether its files are held against digests; folders of before have none."""
        return bool(self._fresh or self.manifest.digests)

    def table(self, name: str) -> Path:
        """Return where a table lies."""
        return self.path / f"{name}.parquet"

    def part(self, run_id: str) -> Path:
        """Return where a finished run waits until the tables are written."""
        return part_of(self.path, run_id)

    def messages_of(self, run_id: str) -> Path:
        """Return where the messages of a run wait that are too many for memory, until it ends."""
        return self.path / "parts" / f".{run_id}.messages.tmp"

    def capture(self, run_id: str, host: str) -> Path:
        """Return where the packets of a host in a run lie."""
        return self.path / "captures" / f"{run_id}.{host}.pcapng"

    def keys(self, run_id: str) -> Path:
        """Return where the secrets of the sessions of a run lie, which read its captures."""
        return self.path / "captures" / f"{run_id}.keys"

    def events(self, run_id: str, host: str) -> Path:
        """Return where lies what happened in a host's connections of QUIC, as qlog."""
        return self.path / "captures" / f"{run_id}.{host}.sqlog"

    def is_captured(self, run_id: str) -> bool:
        """Whether packets of a run were kept, at any host."""
        return any((self.path / "captures").glob(f"{run_id}.*"))

    @property
    def has_captures(self) -> bool:
        """Whether packets of any run may have been kept."""
        return (self.path / "captures").is_dir()

    def remove_captures(self, run_id: str) -> None:
        """Remove the packets of a run that is done again."""
        for path in (self.path / "captures").glob(f"{run_id}.*"):
            with environment(path):
                path.unlink()

    def prepare(self, *, captures: bool) -> None:
        """Make the folders that runs are written to."""
        for name in ("parts", *(("captures",) if captures else ())):
            with environment(self.path / name):
                (self.path / name).mkdir(exist_ok=True)

    def is_finished(self, run_id: str) -> bool:
        """Whether a run is done. A damaged part is removed, so that it is run again."""
        path = self.part(run_id)
        if is_whole(path, run_id):
            return True
        with environment(path):
            path.unlink(missing_ok=True)
        return False

    def close(self, manifest: Manifest) -> None:
        """Store the outcome; the parts go once everything is in the tables."""
        known = {name: digest.as_json() for name, digest in self._fresh.items()}
        manifest = replace(manifest, digests={**self.manifest.digests, **known})
        manifest.write(self.path)
        self.manifest = manifest
        if manifest.state == "complete":
            self.remove_parts()

    def unseal(self, *names: str) -> None:
        """Remove the digests of files that are about to change, so that a crash leaves none."""
        for name in names:
            self._fresh.pop(name, None)
        if any(name in self.manifest.digests for name in names):
            kept = {
                name: digest for name, digest in self.manifest.digests.items() if name not in names
            }
            self.manifest = replace(self.manifest, digests=kept)
            self.manifest.write(self.path)

    def seal(self, name: str, digest: FileDigest) -> None:
        """Take the digest of a file that was written; the manifest has it once it is closed."""
        remember(self.path / name, digest)
        self._fresh[name] = digest

    def store(self, name: str, content: object) -> None:
        """Write a JSON file whole or not at all; without content there is none."""
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
        """Remove what a complete folder no longer needs."""
        with environment(self.path):
            shutil.rmtree(self.path / "parts", ignore_errors=True)


@contextmanager
def open_folder(
    path: Path, manifest: Manifest, *, extends: str | None = None
) -> Iterator[ResultFolder]:
    """Make or reopen the folder for the results that `manifest` announces.

    Parameters
    ----------
    path
        The folder.
    manifest
        What it is to hold.
    extends
        The plan hash of a smaller plan: results of it are kept, and the folder grows.

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
    """Refuse a folder without a manifest that holds anything: it is not ours to fill."""
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
    """Remove what other programs made: the folder is of those alone that its manifest names."""
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
    """Make parts of what is in the tables, so that nothing finished is done again."""
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
    """Name the first software that another command is bound to."""
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
    """Return where a finished run waits until the tables of a folder are written."""
    return folder / "parts" / f"{run_id}.part"

"""A folder that holds all that a rerun needs, to be kept for as long as a paper is."""

import hashlib
import re
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import lasthop
from lasthop.errors import UsageError
from lasthop.results.atomic import environment
from lasthop.results.manifest import Manifest
from lasthop.results.verification import verify
from lasthop.running.plan import Plan
from lasthop.running.run import announce
from lasthop.study import load_study
from lasthop.study.text.source import noting_files
from lasthop.version import __version__

README = """\
# {name}: what a rerun needs

These results were made by lasthop {version}{build}. The same study, seed and version give the same
bytes in every table but `timings.parquet`, which tells about the machine:

```sh
pip install lasthop=={version}
{command}
(cd results && sha256sum --ignore-missing --check ../tables.sha256)   # as published
(cd rerun && sha256sum --ignore-missing --check ../tables.sha256)     # as rerun
```

| file | what it is |
|---|---|
| `study/` | the study, and the files that it names |
| `results/` | the tables, the claims, the report, as they were published |
| `tables.sha256` | the digests of the tables and the judgements |
| `requirements.txt` | the versions of all Python packages that were at work |
| `requirements.lock`, `Cargo.lock` | the dependencies of lasthop, with their digests |
| `CITATION.cff` | how to cite lasthop |
"""
_KEPT = ("*.parquet", "*.json", "junit.xml", "report.html")
_FROM_THE_MACHINE = {"manifest.json", "timings.parquet", "report.html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """How results were made: the study, and what the command line changed of it."""

    study: Path
    overrides: tuple[tuple[str, str], ...] = ()
    seed: int | None = None
    quick: bool = False

    def command(self, study: str) -> str:
        """Return the command that makes them again from a copy of the study."""
        words = ["lasthop", "run", study, "--out", "rerun"]
        words += [part for key, value in self.overrides for part in ("--set", f"{key}={value}")]
        words += [] if self.seed is None else ["--seed", str(self.seed)]
        return shlex.join([*words, *(["--quick"] if self.quick else [])])


def write_archive(results: Path, origin: Origin, *, out: Path) -> Path:
    """Write the archive of a result folder into a new folder.

    Raises
    ------
    UsageError
        If the results are not complete, or this study and this lasthop would not give them again.
    DamagedResultsError
        A file is not as it was written.
    """
    manifest = Manifest.read(results)
    if manifest is None or manifest.state != "complete" or manifest.selection is not None:
        raise UsageError(
            f"{results}: the result folder is missing or incomplete; run the whole study first"
        )
    verify(results, manifest)
    if out.exists():
        raise UsageError(f"{out}: the folder exists already; choose another folder")
    with noting_files() as files:
        plan = Plan(
            load_study(
                origin.study, overrides=origin.overrides, quick=origin.quick, seed=origin.seed
            )
        )
        expected = announce(plan)
    _check_same(results, manifest, expected, origin.study)
    with environment(out):
        study = _copy_study(files, origin.study, out / "study")
        (out / "results").mkdir()
        for file in _kept(results):
            shutil.copyfile(file, out / "results" / file.name)
        for file in sorted((Path(lasthop.__file__).parent / "provenance").iterdir()):
            shutil.copyfile(file, out / file.name)
        sums = "".join(
            f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
            for file in _kept(results)
            if file.name not in _FROM_THE_MACHINE
        )
        (out / "tables.sha256").write_text(sums, encoding="utf-8")
        pins = "".join(f"{name}=={version(name)}\n" for name in _packages())
        (out / "requirements.txt").write_text(pins, encoding="utf-8")
        build = f" (working copy {manifest.working_copy})" if manifest.working_copy else ""
        text = README.format(
            name=manifest.study["name"],
            version=manifest.lasthop,
            build=build,
            command=origin.command(f"study/{study.as_posix()}"),
        )
        (out / "README.md").write_text(text, encoding="utf-8")
    return out


def _check_same(results: Path, manifest: Manifest, expected: Manifest, study: Path) -> None:
    if manifest.lasthop != __version__ or manifest.working_copy != expected.working_copy:
        message = f"{results}: another version of lasthop made these results, {manifest.lasthop}"
        raise UsageError(f"{message}; run the study again, or archive it with that version")
    if manifest.plan_hash != expected.plan_hash:
        message = f"{results}: these are not the results of {study} as it is now"
        raise UsageError(f"{message}; run the study again, or write the study that gave them")


def _copy_study(files: Iterable[Path], study: Path, target: Path) -> Path:
    """Copy what was read, as it lies around the study; give the study's place in the copy."""
    folder = study.parent.resolve()
    for file in dict.fromkeys(path.resolve() for path in files):
        if not file.is_relative_to(folder):
            raise UsageError(
                f"{file}: the file is outside of the folder of the study; move it to {folder}"
            )
        copy = target / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return study.resolve().relative_to(folder)


def _kept(results: Path) -> list[Path]:
    return sorted({file for pattern in _KEPT for file in results.glob(pattern)})


def _packages() -> list[str]:
    """Give the names of lasthop and of all packages below it that are installed."""
    found: dict[str, None] = {}
    waiting = ["lasthop"]
    while waiting:
        name = waiting.pop()
        try:
            needed = requires(name) or []
        except PackageNotFoundError:  # for another platform, or an extra
            continue
        if name not in found:
            found[name] = None
            waiting += [_name(line) for line in needed if "extra ==" not in line]
    return sorted(found)


def _name(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    return requirement if found is None else found[0]

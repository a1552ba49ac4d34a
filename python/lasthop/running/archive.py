"""A folder that holds all that a rerun needs, to be kept for as long as a paper is."""

import hashlib
import re
import shlex
import shutil
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import lasthop
from lasthop.errors import UsageError
from lasthop.results.atomic import environment
from lasthop.results.build import differs_from
from lasthop.results.manifest import Manifest
from lasthop.results.verification import verify
from lasthop.running.archive_readme import About
from lasthop.running.plan import Plan
from lasthop.running.run import announce
from lasthop.study import load_study
from lasthop.study.text.source import noting_files
from lasthop.version import __version__

_PROVENANCE = {"CITATION.cff": "CITATION-lasthop.cff"}
"""Names in an archive: that of results is theirs."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Additions:
    """What its authors add to results.

    Parameters
    ----------
    authors : tuple of str
        Their names.
    repository : str or None
        Address of their repository.
    scripts : tuple of Path
        Files and folders of their own.
    wheel : Path or None
        The wheel by which lasthop was installed.
    """

    authors: tuple[str, ...] = ()
    repository: str | None = None
    scripts: tuple[Path, ...] = ()
    wheel: Path | None = None

    def check(self) -> None:
        """See whether all of it can be added.

        Raises
        ------
        UsageError
            If not.
        """
        names = [script.resolve().name for script in self.scripts]
        for script, name in zip(self.scripts, names, strict=True):
            if not script.exists():
                raise UsageError(f"--script {script}: there is no such file; check its name")
            if names.count(name) > 1:
                raise UsageError(f"--script {script}: two scripts are called {name}; rename one")
        if self.repository is not None and not re.match(r"https?://\S+$", self.repository):
            raise UsageError(
                f"--repository: {self.repository} is not an address; write for example "
                "https://github.com/NAME/REPOSITORY"
            )
        for author in self.authors:
            if not author.strip() or not author.isprintable():
                raise UsageError('--author: a name is empty; write for example "Ada Lovelace"')
        if self.wheel is not None:
            self._check_wheel(self.wheel)

    @staticmethod
    def _check_wheel(wheel: Path) -> None:
        try:
            other = differs_from(wheel)
        except (OSError, zipfile.BadZipFile) as error:
            why = getattr(error, "strerror", None) or "it is not a wheel"
            raise UsageError(f"--wheel {wheel}: {why}; write the .whl of lasthop") from error
        if other is not None:
            raise UsageError(
                f"--wheel {wheel}: {other} differs from the one that made these results; install "
                "the wheel and run the study again"
            )

    def copy(self, out: Path) -> About:
        """Copy it, and say where it is."""
        for script in self.scripts:
            target = out / "scripts" / script.resolve().name
            target.parent.mkdir(exist_ok=True)
            if script.is_dir():
                shutil.copytree(script, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(script, target)
        if self.wheel is not None:
            (out / "wheels").mkdir()
            shutil.copyfile(self.wheel, out / "wheels" / self.wheel.name)
        return About(
            authors=self.authors,
            repository=self.repository,
            scripts=[script.resolve().name for script in self.scripts],
            wheel=None if self.wheel is None else self.wheel.name,
        )


def write_archive(
    results: Path, origin: Origin, *, out: Path, additions: Additions | None = None
) -> Path:
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
    added = additions or Additions()
    added.check()
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
            shutil.copyfile(file, out / _PROVENANCE.get(file.name, file.name))
        sums = "".join(
            f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
            for file in _kept(results)
            if file.name not in _FROM_THE_MACHINE
        )
        (out / "tables.sha256").write_text(sums, encoding="utf-8")
        about = added.copy(out)
        # A wheel in the archive stands for the one of an index.
        names = [name for name in _packages() if name != "lasthop" or about.wheel is None]
        pins = "".join(f"{name}=={version(name)}\n" for name in names)
        (out / "requirements.txt").write_text(pins, encoding="utf-8")
        text = about.readme(manifest, origin.command(f"study/{study.as_posix()}"))
        (out / "README.md").write_text(text, encoding="utf-8")
        if about.authors:
            (out / "CITATION.cff").write_text(about.citation(manifest), encoding="utf-8")
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
    """Return the names of lasthop and of all packages below it that are installed."""
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

"""Identifies a build of a program by its command, its version and digests of its files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError
from lasthop.results.atomic import environment
from lasthop.results.digest import FileDigest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BETWEEN_NAMES = re.compile(r"[\s=:,;@|&<>()'\"]+")
"""Characters that separate file names in a word: ``--config=b.conf``, ``-cp a.jar:b.jar``."""
_MOST_FILES = 10_000
"""Maximum number of files of a folder. Each is read before the first run."""
_OPTION = re.compile(r"--?\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The build of a program when a run began. Results of another build are not reused.

    Attributes
    ----------
    command
        Command from the command line; None if an adapter finds the program.
    version
        Version that the program reports, or a digest in its place.
    files
        SHA-256 of the program and of each file that the command names, by file name.
    """

    command: str | None
    version: str
    files: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return the build as plain values for JSON."""
        return asdict(self)


def files_of(program: Path, command: str | None) -> dict[str, str]:
    """Return the digests of a program and of every file that its command names.

    Raises
    ------
    EnvironmentFailure
        One cannot be read.
    UsageError
        A folder holds too many files.
    """
    found = {"program": _digest(program)}
    for name in named(() if command is None else shlex.split(command)):
        path = Path(name)
        if path.is_dir():
            found |= {str(file): _digest(file) for file in _files_below(path)}
        elif (at := shutil.which(name)) is not None or path.is_file():
            found[name] = _digest(path if at is None else Path(at))
    return dict(sorted(found.items()))


def named(words: Sequence[str]) -> list[str]:
    """Return every part of a command's words that may be a file name, without duplicates.

    Examples
    --------
    >>> named(["./b", "--config=b.conf", "-cp", "a.jar:b.jar"])
    ['./b', '--config=b.conf', 'b.conf', '-cp', 'p', 'a.jar:b.jar', 'a.jar', 'b.jar']
    """
    found: dict[str, None] = {}
    for word in words:
        parts = [part for part in _BETWEEN_NAMES.split(word) if not part.startswith("--")]
        # An option of one letter may have its value behind it: -c/etc/b.conf.
        behind = [_OPTION.sub("", part, count=1) for part in parts if part.startswith("-")]
        for name in (word, *parts, *behind):
            # A folder that a command is in by its nature is none that it names.
            if name.strip("./") and "\0" not in name:
                found[name] = None
    return [name for name in found if name]


def _files_below(folder: Path) -> list[Path]:
    found: list[Path] = []
    with environment(folder):
        for at, _, names in os.walk(folder):
            found += (path for name in names if (path := Path(at, name)).is_file())
            if len(found) > _MOST_FILES:
                what = (
                    f"--impl: the command names the folder {folder}, which has "
                    f"more than {_MOST_FILES:,}"
                )
                raise UsageError(
                    f"{what} files; write the file or the smaller folder that it needs"
                )
    return sorted(found)


def _digest(path: Path) -> str:
    with environment(path):
        return FileDigest.of_file(path).sha256

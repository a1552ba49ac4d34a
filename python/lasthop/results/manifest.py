"""manifest.json: study, state, software and origin of a result folder."""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Self

from lasthop.errors import UsageError
from lasthop.results.atomic import environment, replacement
from lasthop.results.description import check_description
from lasthop.results.digest import FileDigest
from lasthop.results.stored import DamagedResultsError, read_stored, understanding
from lasthop.version import __version__

State = Literal["running", "interrupted", "complete"]

FILE = "manifest.json"
CHANGED = "the file was changed after lasthop wrote it"
NAMED = "only "
"""Prefix of a selection that names its runs (`--only`)."""

_FORMAT = 1
_BYTES = "sha256:"
"""Prefix of the file digest that replaces an unknown program version."""
_TYPES: Mapping[str, type | UnionType] = {
    "study_hash": str,
    "plan_hash": str,
    "selection": str | None,
    "planned_runs": int,
    "seeds": dict,
    "command": str,
    "state": str,
    "lasthop": str,
    "software": dict,
    "counts": dict,
    "digests": dict,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Identity and state of a folder. Only it and `timings.parquet` differ between machines.

    Attributes
    ----------
    command
        Command line that created the folder.
    software
        For each server or client program: its bound command, its version and the SHA-256 of its
        files (`lasthop.adapters.build.Build`).
    digests
        Size and SHA-256 of the tables and judgements beside it, by file name.
    digest
        SHA-256 of the rest of the manifest. Older folders have none.
    """

    study: Mapping[str, Any]
    study_hash: str
    plan_hash: str
    selection: str | None
    planned_runs: int
    seeds: Mapping[str, int]
    command: str
    state: State = "running"
    format: int = _FORMAT
    lasthop: str = __version__
    working_copy: str | None = None
    software: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    started: str = ""
    finished: str | None = None
    host: Mapping[str, Any] = field(default_factory=dict)
    digests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    digest: str | None = field(default=None, compare=False)

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read a folder's manifest; None if there is none.

        Raises
        ------
        DamagedResultsError
            It is not as lasthop wrote it.
        UsageError
            A newer lasthop wrote it.
        """
        path = folder / FILE
        content = read_stored(path)
        if content is None:
            return None
        with understanding(path, "is not a manifest of lasthop"):
            if (found := content["format"]) != _FORMAT:
                message = f"{path}: this lasthop cannot read format {found}"
                raise UsageError(f"{message}; update lasthop, or choose another --out")
            manifest = cls(**content)
            check_description(manifest.study)
            manifest._check_types()
        if manifest.digest is not None and manifest.digest != manifest._own_digest():
            raise DamagedResultsError(path, CHANGED)
        return manifest

    def write(self, folder: Path) -> None:
        """Replace the folder's manifest atomically."""
        path = folder / FILE
        content = asdict(self) | {"digest": self._own_digest()}
        text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)
        with environment(path), replacement(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")

    def _own_digest(self) -> str:
        content = asdict(self)
        del content["digest"]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return FileDigest.of(text.encode("utf-8")).sha256

    def _check_types(self) -> None:
        for name, kind in _TYPES.items():
            if not isinstance(getattr(self, name), kind):
                raise TypeError(name)
        for entry in self.digests.values():
            FileDigest.stored(entry)
        for build in self.software.values():
            if {"command", "version", "files"} - build.keys() or not isinstance(
                build["files"], dict
            ):
                raise TypeError("software")

    def begun(self) -> Self:
        """Return a copy that starts now on this host."""
        return replace(self, started=_now(), host=describe_host())

    def ended(self, state: State, counts: Mapping[str, int]) -> Self:
        """Return a copy that ends now with a state and run counts."""
        return replace(self, state=state, counts=dict(counts), finished=_now())

    @property
    def whole(self) -> bool:
        """Return whether the folder has every run of the study, not a selection."""
        return self.state == "complete" and self.selection is None

    @property
    def names_its_runs(self) -> bool:
        """Return whether every run that `--only` names is present."""
        return self.state == "complete" and (self.selection or "").startswith(NAMED)

    def answers_the_same(self, other: "Manifest") -> bool:
        """Return whether both folders contain the same runs, apart from the build."""
        return (self.plan_hash, self.selection) == (other.plan_hash, other.selection)

    def commands(self) -> dict[str, str]:
        """Return the commands that were bound to software names."""
        return {
            name: command
            for name, build in self.software.items()
            if (command := build["command"]) is not None
        }

    def why_other(self, other: "Manifest") -> str | None:
        """Explain why the results of two folders would differ; None if they would not.

        Another program made one of them: lasthop itself, whose version stands in the plan hash, or
        software beside which it runs.
        """
        if self.working_copy != other.working_copy:
            return "another build of lasthop made these results"
        for name in sorted({*self.software, *other.software}):
            here, there = (it.software.get(name) for it in (self, other))
            if here is None or there is None:
                return f"these results do not say which {name} served"
            versions = (here["version"], there["version"])
            if versions[0] != versions[1] and not any(it.startswith(_BYTES) for it in versions):
                return f"{name} was version {versions[0]} and is {versions[1]} now"
            if here["files"] != there["files"]:
                return f"{name}: {_changed(here['files'], there['files'])} since"
        return None


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return the first file that differs between two builds."""
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    # What the command calls its program tells more than that it is one.
    named = [name for name in names if name != "program"] or ["its program"]
    if len(named) == 1:
        return f"{named[0]} has changed"
    return f"{named[0]} and {len(named) - 1} more of its files have changed"


def describe_host() -> dict[str, Any]:
    """Return properties of this machine that affect wall times."""
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cpu_count": os.cpu_count(),
        "packages": {"polars": version("polars")},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
